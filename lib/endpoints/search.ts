import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { noScopeError } from "../api/endpoint-request.ts";
import { searchOffError } from "../api/list-order.ts";
import { entityModels } from "../model/entities.ts";
import { RawJson } from "../model/record-json.ts";
import { describe, jsonSchema, queryInteger } from "../model/scalars.ts";
import { archivableSchema } from "../model/schemas.ts";
import { queryWords, searchResultKinds } from "../model/search-words.ts";
import { SearchOff } from "../storage/storage.ts";
import { wordsFilter } from "./filters.ts";

const [defaultLimit, maxLimit] = [20, 50];

const query = {
  q: wordsFilter,
  entity: v.optional(
    describe(
      v.picklist(searchResultKinds, `must be one of ${searchResultKinds.join(", ")}`),
      "Only records of this kind. By default, those of all kinds that the API key may read.",
    ),
  ),
  limit: v.optional(
    v.pipe(
      queryInteger(1, maxLimit),
      jsonSchema({ default: defaultLimit, description: `Maximum number of results, 1 to ${maxLimit}.` }),
    ),
  ),
};

const result = v.pipe(
  v.strictObject({
    entity: describe(v.picklist(searchResultKinds), "The kind of the record."),
    record: describe(
      v.union(searchResultKinds.map((kind) => archivableSchema(entityModels[kind]))),
      "The record, as in the response to a GET of it.",
    ),
  }),
  jsonSchema({ title: "SearchResult", description: "A record that a search found." }),
);

type ResultKind = (typeof searchResultKinds)[number];

const scopeOf = (kind: ResultKind) => `${entityModels[kind].plural}:read` as const;

/** The endpoint that searches accounts, contacts and opportunities. */
export const search = [
  endpoint({
    name: "searchRecords",
    method: "GET",
    path: "/search",
    summary: "Search records",
    description:
      "Searches the names, email addresses, phone numbers, documents and external IDs of accounts, contacts and " +
      "opportunities. All words of `q` must match. Records with all of them as whole words come first, then those updated " +
      "last. Phone numbers and documents also match without their separators. Without `entity`, searches all kinds that " +
      "the API key may read, and needs the scope of at least one. Returns 404 if the server has no search index.",
    tag: { name: "Search", description: "Finds records by words." },
    scope: ({ entity }) => (isResultKind(entity) ? scopeOf(entity) : undefined),
    query,
    success: { status: 200, data: result, collection: "list" },
    errors: ["insufficient_scope", "not_found"],
    example: { query: { q: "café lind", limit: "5" } },
    async handle({ caller, query: { q, entity, limit = defaultLimit } }, { storage }) {
      const { tenantId, scopes } = caller;
      const requested = entity === undefined ? searchResultKinds : [entity];
      const kinds = requested.filter((kind) => scopes.includes(scopeOf(kind)));
      if (kinds.length === 0) throw noScopeError(searchResultKinds.map(scopeOf), caller);
      const hits = await storage.search(tenantId, { words: queryWords(q), kinds, limit }).catch((error: unknown) => {
        if (!(error instanceof SearchOff)) throw error;
        throw searchOffError(error);
      });
      const items = await Promise.all(
        hits.map(async ({ kind, id }) => {
          // A record that was archived since the search is undefined.
          const json = await storage.getJson(tenantId, kind, id);
          return json === undefined ? [] : [`{"entity":"${kind}","record":${json}}`];
        }),
      );
      return { status: 200, body: new RawJson(`{"data":[${items.flat().join(",")}]}`) };
    },
  }),
];

function isResultKind(text: string | undefined): text is ResultKind {
  return (searchResultKinds as readonly (string | undefined)[]).includes(text);
}
