import { type Collection, createCollection, unwrapData } from "./collection.ts";
import { type CallOptions, type ClientOptions, createTransport } from "./transport.ts";
import type * as types from "./types.ts";

/** Every integration endpoint of the service, typed. Requests are tried again where that is safe. */
export type Client = {
  readonly accounts: Collection<types.Account, types.AccountCreate, types.AccountUpdate, types.AccountQuery>;
  readonly contacts: Collection<types.Contact, types.ContactCreate, types.ContactUpdate, types.ContactQuery> & {
    /** The open opportunities of the contacts with these addresses, one item an address. */
    activeOpportunities(emails: readonly string[], options?: CallOptions): Promise<readonly types.ActiveContact[]>;
  };
  readonly opportunities: Collection<
    types.Opportunity,
    types.OpportunityCreate,
    types.OpportunityUpdate,
    types.OpportunityQuery
  >;
  readonly tasks: Collection<types.Task, types.TaskCreate, types.TaskUpdate, types.TaskQuery>;
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
  readonly grants: { resolve(grantId: string, options?: CallOptions): Promise<types.Grant> };
  /** Whom the key speaks for and what it may do. */
  me(options?: CallOptions): Promise<types.Me>;
};

export function createClient(options: ClientOptions): Client {
  const send = createTransport(options);
  const data = async <T>(path: string, query: object = {}, { signal }: CallOptions = {}): Promise<T> => {
    const sent = { query: query as Record<string, string>, ...(signal === undefined ? {} : { signal }) };
    return unwrapData<T>((await send("GET", path, sent)).body);
  };
  const me = (call?: CallOptions): Promise<types.Me> => data("/me", {}, call);
  let tenantId: string | undefined;
  return {
    accounts: createCollection(send, "/accounts"),
    contacts: {
      ...createCollection<types.Contact, types.ContactCreate, types.ContactUpdate, types.ContactQuery>(
        send,
        "/contacts",
      ),
      async activeOpportunities(emails, call) {
        tenantId ??= (await me(call)).tenantId;
        const sent = { ...call, body: { tenantId, emails }, isReadOnly: true };
        return unwrapData((await send("POST", "/contacts/opportunities/active", sent)).body);
      },
    },
    opportunities: createCollection(send, "/opportunities"),
    tasks: createCollection(send, "/tasks"),
    pipelines: {
      list: (call) => data("/pipelines", {}, call),
      get: (id, call) => data(`/pipelines/${encodeURIComponent(id)}`, {}, call),
    },
    users: {
      list: ({ signal, idempotencyKey: _, ...query } = {}) => data("/users", query, signal ? { signal } : {}),
      get: (id, call) => data(`/users/${encodeURIComponent(id)}`, {}, call),
    },
    customFields: { list: (entity, call) => data("/custom-fields", { entity }, call) },
    grants: { resolve: (grantId, call) => data("/grants/resolve", { grantId }, call) },
    me,
  };
}
