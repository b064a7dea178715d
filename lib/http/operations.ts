import { type Reply, run } from "../api.ts";
import type { Caller, Endpoint } from "../endpoint.ts";
import { endpoints } from "../endpoints/all.ts";
import { hostOnly } from "../endpoints/host-only.ts";
import type { Incoming } from "../incoming.ts";
import { asApiError } from "./answer.ts";
import { assertHere, callerOf, type VouchedCaller } from "./caller.ts";
import type { Parts } from "./handler.ts";

/** One call of an operation without HTTP. The host vouches for the caller. */
export type OperationCall = {
  readonly caller: VouchedCaller;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
};

export type OperationAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | null;
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** `begin` counts a call among what `close` waits for, or refuses it. */
export function operationsOf(
  parts: Parts,
  begin: (work: () => Promise<Reply>) => Promise<Reply>,
): Readonly<Record<string, (call: OperationCall) => Promise<OperationAnswer>>> {
  const operation =
    (endpoint: Endpoint) =>
    async (call: OperationCall): Promise<OperationAnswer> => {
      try {
        const reply = await begin(async () => {
          const caller = await assertHere(parts.storage, callerOf(call.caller));
          return run(parts, endpoint, incomingOf(call, caller));
        });
        return { ...reply, body: reply.body === null ? null : JSON.parse(reply.body) };
      } catch (error) {
        const requestId = parts.context.newId();
        const known = asApiError(error, requestId, endpoint.method);
        if (known.status >= 500) parts.report(error, requestId);
        throw known;
      }
    };
  return Object.fromEntries([...endpoints, ...hostOnly].map((endpoint) => [endpoint.name, operation(endpoint)]));
}

/** The call as it would come over HTTP, where nothing is undefined. */
function incomingOf(call: OperationCall, caller: Caller): Incoming {
  const { params = {}, query = {} } = call;
  const idempotencyKey = call.idempotencyKey === undefined ? null : String(call.idempotencyKey);
  const texts = Object.entries(query).filter(([, value]) => value !== undefined);
  const body = (jsonOf(call.body) ?? undefined) as OperationCall["body"];
  return {
    ...{ caller, params, idempotencyKey, body: () => body },
    query: Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
  };
}

/** What stands for everything that JSON has not, and no check lets pass. */
const stranger = Symbol("no JSON");

/**
 * The value as JSON would bring it. Members that are undefined are left out, and nothing is cleared by them; a Date, a
 * Map or a bigint is refused in its place, in the words of whatever should stand there.
 */
function jsonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== "object" || value === null) return isScalar(value) ? value : stranger;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return stranger;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, jsonOf(member)]));
}

function isScalar(value: unknown): boolean {
  return value === undefined || value === null || ["string", "number", "boolean"].includes(typeof value);
}
