import type * as v from "valibot";
import type { Clock, RateLimitResult } from "../auth/rate-limiter.ts";
import type { ErrorCode, FieldError } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import type { Records } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { RandomBytes } from "../model/uuid.ts";
import type { Storage, Write } from "../storage/storage.ts";
import type { EntityTags } from "./conditional-requests.ts";

/** Who calls. A host that calls without HTTP says it; over HTTP the credential does. */
export type Caller = {
  readonly tenantId: string;
  /** Null for an administrator. */
  readonly integrationId: string | null;
  readonly keyId: string | null;
  /** Null for an integration. */
  readonly userId: string | null;
  readonly scopes: readonly string[];
};

/** The kinds whose records callers make and change. */
type Entity = "account" | "contact" | "opportunity" | "task";

/**
 * A host's own rule: what is wrong with a record as it is about to be; nothing, where nothing is. `before` is undefined
 * where it is made. It may run more than once for one request, for example after a write conflict.
 */
export type HostRule<K extends Entity> = (
  after: Omit<Records[K], keyof BaseRecord>,
  before: Records[K] | undefined,
  caller: Caller,
) => Problems | Promise<Problems>;
type Problems = readonly FieldError[] | undefined;

export type HostRules = { readonly [K in Entity]?: readonly HostRule<K>[] };

/** What a handler answers: a status, a body that becomes JSON (or a `RawJson`), and headers of its own. */
export type HandlerResult = {
  readonly status: number;
  readonly body?: unknown;
  /** The path of what was made, relative to the base url. */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a replay shows in place of `body`, where that must not be kept. */
  readonly replayBody?: unknown;
};

/** What a handler wants written. It is asked inside the commit, with the instant that the commit has; pure. */
export type Proposal = (at: number) => HandlerResult & { readonly writes: readonly Write[] };

/** What handlers may use. It has no way to write. */
export type Context = {
  readonly storage: Pick<Storage, "get" | "getJson" | "list" | "listJson" | "activeOpportunities">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: RandomBytes;
  readonly secret: () => Promise<Uint8Array>;
  readonly rules: HostRules;
};

/** One request, its parts in the shape that the endpoint's schemas give them. */
export type EndpointCall<Query = unknown, Body = unknown> = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly rate: RateLimitResult | undefined;
  /** The header If-Match of a PATCH or DELETE. */
  readonly ifMatch: EntityTags | undefined;
};

/** What a success answers: its status, and what stands in `data`: one thing, a whole list or a page of one. */
export type ResponseSpec = {
  readonly status: 200 | 201 | 204;
  readonly data?: v.GenericSchema;
  readonly collection?: "list" | "page";
};

/** A request that succeeds on a server with the demo tenant. Parameters as a url writes them. */
export type RequestExample = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

/** What belongs together in the documentation. */
export type Tag = { readonly name: string; readonly description: string };

type Entries = Readonly<Record<string, v.GenericSchema>>;
type Output<E extends Entries> = { readonly [K in keyof E]: v.InferOutput<E[K]> };

/** One operation of the API as a value: the HTTP layer, the description, the client and the tests all read it. */
export type Endpoint = {
  /** The name of the operation, such as `listTasks`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the base url, parameters as `:id`. */
  readonly path: string;
  readonly summary: string;
  /** What a caller must know beyond the summary, in Markdown. */
  readonly description: string;
  readonly tag: Tag;
  /** Integrations call with an API key, under the base path; administrators with a token, beside it. */
  readonly access?: "admin";
  /** None: any caller will do. It may follow from the query. */
  readonly scope?: Scope | ((query: Readonly<Record<string, string>>) => Scope | undefined);
  readonly query: Entries;
  readonly body?: v.GenericSchema;
  readonly success: ResponseSpec;
  /** Whether it is about one record with an ETag: GET takes If-None-Match, PATCH and DELETE take If-Match. */
  readonly hasETag?: true;
  /** What it can answer beside what follows from method, path, access and schemas. */
  readonly errors?: readonly ErrorCode[];
  readonly example?: RequestExample;
  handle(call: EndpointCall<never, never>, context: Context): Promise<HandlerResult | Proposal>;
};

/** Declares an endpoint; the handler's query and body have the types of the schemas. */
export function endpoint<const Q extends Entries = Record<never, never>, B extends v.GenericSchema = never>(
  declared: Omit<Endpoint, "query" | "body" | "handle"> & {
    readonly query?: Q;
    readonly body?: B;
    handle(call: EndpointCall<Output<Q>, v.InferOutput<B>>, context: Context): Promise<HandlerResult | Proposal>;
  },
): Endpoint {
  return { ...declared, query: declared.query ?? {} } as Endpoint;
}
