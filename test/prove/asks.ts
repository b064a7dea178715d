import * as v from "valibot";
import type { Endpoint } from "../../lib/index.ts";
import { samples, type TextPlace, textPlaces, withText } from "./shapes.ts";

/** A request for an endpoint, its parts apart, so that each can be put otherwise. */
export type Ask = {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
};

/** A place of a request where a caller writes a text. */
export type Place = {
  /** `:id`, `?ownerId`, `/contactIds/0`, or the name of a header. */
  readonly name: string;
  readonly takes: (text: string) => boolean;
  /** The request with this text there; more than one where what must stand around it can be put in several ways. */
  readonly with: (ask: Ask, text: string) => readonly Ask[];
};

/** A uuid that names nothing in any tenant; with letters, so that capitals make a difference. */
export const nobodys = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

/** The smallest requests that the endpoint's schemas take. They name nothing that is there but the tenant. */
export function smallest(endpoint: Endpoint, tenant: string): Ask[] {
  const params = Object.fromEntries(paramsOf(endpoint).map((name) => [name, nobodys]));
  return queriesOf(endpoint).flatMap((query) =>
    bodiesOf(endpoint, query as Ask["query"]).map((body): Ask => {
      const ask = { endpoint, params, query: query as Ask["query"], headers: {} };
      return body === undefined ? ask : { ...ask, body: inTenant(body as object, tenant) };
    }),
  );
}

/** Queries that the endpoint takes: the field of a rule has to be one of the entity. */
function queriesOf(endpoint: Endpoint): unknown[] {
  if (endpoint.path === "/admin/impact") return [{ entity: "opportunity", field: "amount" }];
  return samples(querySchema(endpoint));
}

/** Bodies that the endpoint takes: an upsert and the operations of a batch need more than their schemas say. */
function bodiesOf(endpoint: Endpoint, { matchBy = "externalId" }: Ask["query"]): unknown[] {
  const schema = bodySchema(endpoint);
  if (schema === undefined) return [undefined];
  const { path, method } = endpoint;
  if (method === "POST" && path === "/admin/custom-fields")
    return [{ entity: "contact", key: "sample", label: "Sample", type: "text" }];
  if (method === "POST" && path === "/admin/rules") {
    const when = { stageIds: [nobodys] };
    return [
      { entity: "account", field: "phone" },
      { entity: "opportunity", field: "amount", when },
    ];
  }
  const record = { [path.startsWith("/tasks") ? "title" : "name"]: "Sample" };
  const upserted = { ...record, [matchBy]: matchBy === "email" ? "sample@tenant.test" : "Sample" };
  if (path.endsWith("/upsert")) return [upserted];
  if (!path.endsWith("/batch")) return samples(schema);
  const upsert = { op: "upsert", matchBy, data: upserted };
  const operations = [
    { op: "create", data: record },
    { op: "update", id: nobodys, data: record },
    { op: "archive", id: nobodys },
    ...(path.startsWith("/tasks") ? [] : [upsert]),
  ];
  return operations.map((operation) => ({ operations: [operation] }));
}

/** Every place of the endpoint's requests that takes a text: what its path and schemas name, and what all have. */
export function placesOf(endpoint: Endpoint): Place[] {
  const body = bodySchema(endpoint);
  const params = paramsOf(endpoint).map((name): Place => {
    return { name: `:${name}`, takes, with: (ask, text) => [{ ...ask, params: { ...ask.params, [name]: text } }] };
  });
  const query = textPlaces(querySchema(endpoint)).map((place) => inQuery(String(place.path[0]), place));
  const named = body === undefined ? [] : textPlaces(body);
  const all = named.map((place): Place => {
    const name = `/${[...place.path, ...(place.isKey ? ["*"] : [])].join("/")}`;
    const schema = body as v.GenericSchema;
    return { name, takes: place.takes, with: (ask, text) => put(schema, ask, place, text) };
  });
  // The data of a batch is that of the single requests: only its IDs are tried there.
  const inside = all.filter((place) => !place.name.startsWith("/operations/0/data/") || takesIdsOnly(place));
  const tenant = body === undefined || inside.some(({ name }) => name === "/tenantId") ? [] : [tenantInBody];
  const once = endpoint.method === "POST" ? [inHeader("Idempotency-Key")] : [];
  return [...params, ...query, inQuery("tenantId", { takes }), ...inside, ...tenant, inHeader("x-tenant-id"), ...once];
}

/** Whether a place takes ids and nothing else. */
export function takesIdsOnly({ takes }: Pick<Place, "takes">): boolean {
  return takes(nobodys) && !["Sample", "sample@tenant.test", "2026-03-01"].some(takes);
}

/** The ask with these words, in every way, wherever something must be said that is not taken from a list. */
export function* filledIn(ask: Ask, words: readonly string[]): Generator<Ask> {
  const { params, query, body } = ask;
  const parts = Object.entries({ ":": params, "?": query, "/": (body ?? {}) as object });
  const said = parts.flatMap(([sign, part]) => namesIn(part).map((name) => sign + name));
  yield* filling(
    ask,
    placesOf(ask.endpoint).filter(({ name }) => said.includes(name)),
    words,
  );
}

/** The names of all members, those of members among them: `operations`, `operations/0`, `operations/0/id`. */
function namesIn(part: object): string[] {
  return Object.entries(part).flatMap(([name, value]) => [
    name,
    ...(typeof value === "object" && value !== null ? namesIn(value).map((inner) => `${name}/${inner}`) : []),
  ]);
}

function* filling(ask: Ask, [place, ...rest]: readonly Place[], words: readonly string[]): Generator<Ask> {
  if (place === undefined) return void (yield ask);
  for (const word of words.filter(place.takes))
    for (const each of place.with(ask, word)) yield* filling(each, rest, words);
}

function takes(): boolean {
  return true;
}

function paramsOf({ path }: Endpoint): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

function bodySchema({ body, describedBody = body }: Endpoint): v.GenericSchema | undefined {
  return describedBody;
}

function querySchema({ query }: Endpoint): v.GenericSchema {
  return v.strictObject({ ...query });
}

function inQuery(name: string, { takes }: Pick<Place, "takes">): Place {
  return { name: `?${name}`, takes, with: (ask, text) => [{ ...ask, query: { ...ask.query, [name]: text } }] };
}

/** What a header cannot carry is not asked. */
function inHeader(name: string): Place {
  const carries = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
  return { name, takes: carries, with: (ask, text) => [{ ...ask, headers: { ...ask.headers, [name]: text } }] };
}

const tenantInBody: Place = {
  name: "/tenantId",
  takes,
  with: (ask, text) => [{ ...ask, body: { ...(ask.body as object), tenantId: text } }],
};

function put(schema: v.GenericSchema, ask: Ask, place: TextPlace, text: string): Ask[] {
  return withText(schema, ask.body, place, text).map((body) => ({ ...ask, body }));
}

/** Where a body must name the tenant, it names its own. */
function inTenant(body: object, tenant: string): object {
  return "tenantId" in body ? { ...body, tenantId: tenant } : body;
}
