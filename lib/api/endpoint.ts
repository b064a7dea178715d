import type { KeyObject } from "node:crypto";
import type * as v from "valibot";
import type { Clock, RateLimitResult } from "../auth/rate-limiter.ts";
import type { Entity } from "../model/entities.ts";
import type { ErrorCode, FieldError, ValidationIssue } from "../model/errors.ts";
import type { Scope } from "../model/integration.ts";
import type { Records } from "../model/kinds.ts";
import type { BaseRecord } from "../model/model.ts";
import type { RandomBytes } from "../model/uuid.ts";
import type { RequestLogReader } from "../storage/request-log.ts";
import type { HandlerStorage, NoMatch, Write, WriteConflict } from "../storage/storage.ts";
import type { Sender } from "../webhooks/send.ts";
import type { EntityTags } from "./conditional-requests.ts";
import type { SystemTools } from "./system-tools.ts";

/** The authenticated identity behind a request. */
export type Caller = {
  readonly tenantId: string;
  /** Null for an admin. */
  readonly integrationId: string | null;
  readonly keyId: string | null;
  /** Null for an integration. */
  readonly userId: string | null;
  readonly scopes: readonly string[];
};

/**
 * A validation function of the host. Returns the errors of a record before it is written. `before` is undefined if the
 * record is new. It can run more than once per request, for example after a write conflict, so it must have no side
 * effects.
 */
export type HostRule<K extends Entity> = (
  after: Omit<Records[K], keyof BaseRecord>,
  before: Records[K] | undefined,
  caller: Caller,
) => FieldErrors | Promise<FieldErrors>;
type FieldErrors = readonly FieldError[] | undefined;

export type HostRules = { readonly [K in Entity]?: readonly HostRule<K>[] };

/** The result of a handler. `body` is a value that becomes JSON, or a `RawJson`. */
export type HandlerResult = {
  readonly status: number;
  readonly body?: unknown;
  /** The path of the created record, relative to the base URL. */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a replay, if `body` must not be stored. */
  readonly replayBody?: unknown;
};

/**
 * Returns the result and the writes for a commit time `at`, which only `updatedAt` uses. Every other time is `now`, the
 * time of the clock. The tenant clock can be ahead of it. Must be pure: a commit can call it more than once.
 */
export type Proposal = (at: number, now: number) => HandlerResult & { readonly writes: readonly Write[] };

/** The dependencies of handlers. They can't write. */
export type HandlerContext = {
  readonly storage: Omit<HandlerStorage, "commit">;
  /**
   * Makes the commit stale, so that the handler runs again, if a record matches the filter by then. For a handler that
   * has found none.
   */
  readonly expectNone: (none: NoMatch) => void;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: RandomBytes;
  /**
   * The key that signs cursors. An HMAC with a `KeyObject` takes Node a fifth of the time that one with bytes takes.
   */
  readonly secret: () => Promise<KeyObject>;
  readonly rules: HostRules;
  readonly system: SystemTools | undefined;
  readonly requestLog: RequestLogReader;
  /** Sends webhook messages and checks their URLs. */
  readonly webhooks: Sender;
};

/** The dependencies of handlers that are the same for all requests. */
export type SharedContext = Omit<HandlerContext, "storage" | "expectNone">;

/** A validated request. `query` and `body` are outputs of the endpoint's schemas. */
export type EndpointCall<Query = unknown, Body = unknown> = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly rate: RateLimitResult | undefined;
  /** The If-Match header of a PATCH or DELETE. */
  readonly ifMatch: EntityTags | undefined;
  /** The If-None-Match header of a GET. */
  readonly ifNoneMatch?: string | null | undefined;
};

/** The successful response: its status, and the schema of `data`, or of its items if it is a collection. */
export type ResponseSpec = {
  readonly status: 200 | 201 | 204 | 207;
  /** Another status with the same schema: 201 if the record is new, 207 if some items failed. */
  readonly otherStatus?: 201 | 207;
  readonly data?: v.GenericSchema;
  /** `history` is a page that isn't for syncs. */
  readonly collection?: "list" | "page" | "history";
};

/** A request that succeeds with the demo tenant. Parameters are texts, as in a URL. */
export type RequestExample = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

/** A group of endpoints in the documentation. */
export type Tag = { readonly name: string; readonly description: string };

type Entries = Readonly<Record<string, v.GenericSchema>>;
type Output<E extends Entries> = { readonly [K in keyof E]: v.InferOutput<E[K]> };

/** One operation of the API. Routes, the OpenAPI description, the client and tests are derived from it. */
export type Endpoint = {
  /** The name of the operation, such as `listTasks`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the base URL, with parameters such as `:id`. */
  readonly path: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly tag: Tag;
  /** Admin endpoints take an admin token instead of an API key. Their paths are not under `/v1`. */
  readonly access?: "admin";
  /** The required scope, which can depend on the query. Without it, every caller is accepted. */
  readonly scope?: Scope | ((query: Readonly<Record<string, string>>) => Scope | undefined);
  readonly query: Entries;
  readonly body?: v.GenericSchema;
  /** The schema of the body in the description, if the handler validates parts of the body itself. */
  readonly describedBody?: v.GenericSchema;
  readonly success: ResponseSpec;
  /** Whether the response has an ETag. GET then takes If-None-Match, PATCH and DELETE take If-Match. */
  readonly hasETag?: true;
  /** Whether the header `Prefer: dry-run` runs the request without writing. Other writing endpoints reject it. */
  readonly hasDryRun?: true;
  /** Whether `Prefer: wait=N` waits for records if the page is empty. */
  readonly canWait?: true;
  /** Whether a request can take much time and memory. Of each tenant, two such requests run at a time. */
  readonly isLong?: true;
  /** Error codes in addition to those that follow from method, path, access and schemas. */
  readonly errors?: readonly ErrorCode[];
  readonly example?: RequestExample;
  handle(call: EndpointCall<never, never>, context: HandlerContext): Promise<HandlerResult | Proposal>;
  /**
   * Whether to run the handler again after this conflict, because it then sees the other record. `last` is the conflict
   * of the attempt before.
   */
  isRetryable?(conflict: WriteConflict, last: WriteConflict | undefined): boolean;
  /**
   * Returns the shape issues of a request together with all others that can be checked. The body of the call has only
   * its valid members.
   */
  findIssues?(
    call: EndpointCall,
    shapeIssues: readonly ValidationIssue[],
    context: HandlerContext,
  ): Promise<readonly ValidationIssue[]>;
};

/** Defines an endpoint. The handler gets the query and the body with the types of the schemas. */
export function endpoint<const Q extends Entries = Record<never, never>, B extends v.GenericSchema = never>(
  definition: Omit<Endpoint, "query" | "body" | "handle"> & {
    readonly query?: Q;
    readonly body?: B;
    handle(call: EndpointCall<Output<Q>, v.InferOutput<B>>, context: HandlerContext): Promise<HandlerResult | Proposal>;
  },
): Endpoint {
  return { ...definition, query: definition.query ?? {} } as Endpoint;
}
