import { type Collection, createCollection, unwrapData } from "./collection.ts";
import { createEvents, type Events } from "./events.ts";
import { type CallOptions, type ClientOptions, createTransport } from "./transport.ts";
import * as types from "./types.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

type CollectionOf<Name extends keyof types.Collections> = Collection<
  types.Collections[Name]["record"],
  types.Collections[Name]["create"],
  types.Collections[Name]["update"],
  types.Collections[Name]["query"]
>;

type Collections = {
  /** Tasks have no field that identifies them. */
  readonly [Name in keyof types.Collections]: Name extends "tasks"
    ? Omit<CollectionOf<Name>, "upsert">
    : CollectionOf<Name>;
};

/** A typed client of the integration endpoints. It retries failed requests if that is safe. */
export type Client = Collections & {
  readonly contacts: {
    /** Returns the open opportunities of the contacts with these email addresses, one item per address. */
    activeOpportunities(emails: readonly string[], options?: CallOptions): Promise<readonly types.ActiveContact[]>;
  };
  readonly opportunities: {
    /** Returns each possible change of the stage or the status, and the errors that it would cause. Changes nothing. */
    transitions(
      id: string,
      query?: types.OpportunityTransitionQuery & CallOptions,
    ): Promise<readonly types.OpportunityTransition[]>;
  };
  readonly tasks: {
    /** Returns each possible change of the status, and the errors that it would cause. Changes nothing. */
    transitions(id: string, options?: CallOptions): Promise<readonly types.TaskTransition[]>;
  };
  readonly pipelines: {
    list(options?: CallOptions): Promise<readonly types.Pipeline[]>;
    get(id: string, options?: CallOptions): Promise<types.Pipeline>;
  };
  readonly users: {
    list(query?: types.UserQuery & CallOptions): Promise<readonly types.User[]>;
    get(id: string, options?: CallOptions): Promise<types.User>;
  };
  readonly customFields: {
    list(entity: "account" | "contact" | "opportunity", options?: CallOptions): Promise<readonly types.CustomField[]>;
  };
  /**
   * Returns the JSON Schema of the bodies that create or update a record of this kind, with the tenant's fields and
   * rules.
   */
  schema(
    entity: types.EntityType,
    query?: types.OpportunitySchemaQuery & CallOptions,
  ): Promise<types.OpportunitySchema>;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly grants: { resolve(grantId: string, options?: CallOptions): Promise<types.Grant> };
  /**
   * Returns the accounts, contacts and opportunities that match all words of `q` by prefix: those with whole words
   * first, then those updated last.
   */
  search(
    q: string,
    query?: { readonly entity?: "account" | "contact" | "opportunity"; readonly limit?: number } & CallOptions,
  ): Promise<readonly types.SearchResult[]>;
  /** Returns the tenant, the integration and the scopes of the API key. */
  me(options?: CallOptions): Promise<types.Me>;
};

/** @throws TypeError if the API key is empty or contains invalid characters */
export function createClient(clientOptions: ClientOptions): Client {
  const send = createTransport(clientOptions);
  const getData = async <T>(path: string, query: object = {}, { signal }: CallOptions = {}): Promise<T> => {
    const options = { query: query as Record<string, string>, ...(signal === undefined ? {} : { signal }) };
    return unwrapData<T>((await send("GET", path, options)).body);
  };
  const me = (call?: CallOptions): Promise<types.Me> => getData("/me", {}, call);
  let tenantId: string | undefined;
  const collections = Object.fromEntries(
    types.collectionNames.map((name) => [name, createCollection(send, `/${name}`)]),
  ) as unknown as Collections;
  return {
    ...collections,
    contacts: {
      ...collections.contacts,
      async activeOpportunities(emails, call) {
        tenantId ??= (await me(call)).tenantId;
        const request = { ...call, body: { tenantId, emails }, isReadOnly: true };
        return unwrapData((await send("POST", "/contacts/opportunities/active", request)).body);
      },
    },
    opportunities: {
      ...collections.opportunities,
      transitions: (id, { signal, idempotencyKey: _, ...query } = {}) =>
        getData(`/opportunities/${encodeURIComponent(id)}/transitions`, query, signal ? { signal } : {}),
    },
    tasks: {
      ...collections.tasks,
      transitions: (id, call) => getData(`/tasks/${encodeURIComponent(id)}/transitions`, {}, call),
    },
    pipelines: {
      list: (call) => getData("/pipelines", {}, call),
      get: (id, call) => getData(`/pipelines/${encodeURIComponent(id)}`, {}, call),
    },
    users: {
      list: ({ signal, idempotencyKey: _, ...query } = {}) => getData("/users", query, signal ? { signal } : {}),
      get: (id, call) => getData(`/users/${encodeURIComponent(id)}`, {}, call),
    },
    customFields: { list: (entity, call) => getData("/custom-fields", { entity }, call) },
    schema: (entity, { signal, idempotencyKey: _, ...query } = {}) =>
      getData(`/schema/${entity}`, query, signal ? { signal } : {}),
    events: createEvents(send, clientOptions.wait),
    webhooks: createWebhooks(send),
    grants: { resolve: (grantId, call) => getData("/grants/resolve", { grantId }, call) },
    search: (q, { signal, idempotencyKey: _, ...query } = {}) =>
      getData("/search", { q, ...query }, signal ? { signal } : {}),
    me,
  };
}
