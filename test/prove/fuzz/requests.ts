import fc from "fast-check";
import type * as v from "valibot";
import type { Endpoint } from "../../../lib/index.ts";
import { entityOfPath } from "../../support/entity-fields.ts";
import { broken, brokenText, changedJson, changes } from "./changes.ts";
import { anyId, arbitraryOf, junk, recordOf } from "./values.ts";

/** A request whose IDs aren't known yet. */
export type Draft = {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
  /** JSON text, or undefined if there is no body. */
  readonly body: string | undefined;
  /** Whether the request was made invalid. */
  readonly isInvalid: boolean;
};

const text = fc.oneof(
  junk.map((value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const escaped = (part: string): string =>
  encodeURIComponent(part.toWellFormed()).replaceAll("%40", "@").replaceAll("%3A", ":");
const invalidQuery = fc.oneof(
  fc.constantFrom(
    "a[]=1",
    "limit=1&limit=2",
    "%zz=1",
    "x=%ff",
    "=",
    "&&&",
    "__proto__=1",
    `${"k".repeat(500)}=1`,
    "limit",
    "cursor=",
    "tenantId=x",
    "a=b=c",
  ),
  fc.tuple(text, text).map(([name, value]) => `${escaped(name)}=${escaped(value)}`),
);

function queryOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const meant = recordOf({ ...endpoint.query } as Parameters<typeof recordOf>[0]);
  const wrong = fc
    .tuple(fc.constantFrom(...Object.keys(endpoint.query), "tenantId"), text)
    .map(([name, value]) => `${name}=${escaped(value)}`);
  const more = fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(invalidQuery, wrong), { minLength: 1, maxLength: 3 }) },
  );
  return fc.tuple(meant, more).map(([record, others]) => {
    return [...Object.entries(record).map(([name, value]) => `${name}=${escaped(String(value))}`), ...others].join("&");
  });
}

const visible = fc.string({ unit: fc.constantFrom(..."abcXYZ019 -_.:;,\"'{}é"), maxLength: 40 });
const headers = fc.record(
  {
    "idempotency-key": fc.oneof(
      { weight: 5, arbitrary: fc.uuid() },
      { weight: 2, arbitrary: fc.nat(9).map((n) => `0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d5${n}`) },
      visible,
    ),
    "x-tenant-id": fc.oneof(
      { weight: 4, arbitrary: fc.constant("@tenant:0") },
      { weight: 1, arbitrary: fc.constantFrom("@tenant:1", "", "x") },
      visible,
    ),
    "x-request-id": fc.oneof(fc.uuid(), visible, fc.constantFrom("x".repeat(128), "x".repeat(129))),
    "content-type": fc.constantFrom(
      "application/json",
      "application/json; charset=utf-8",
      "application/json; a=b",
      "text/plain",
      "application/json; charset=latin1",
      "",
    ),
    "content-encoding": fc.constantFrom("identity", "gzip"),
  },
  { requiredKeys: [] },
);
const someHeaders = fc.tuple(headers, fc.nat(9)).map(([all, n]) => {
  const names = Object.keys(all);
  return n < 7
    ? {}
    : Object.fromEntries(Object.entries(all).filter((_, index) => n === 9 || index === n % (names.length || 1)));
});

const key = fc.oneof(
  { weight: 40, arbitrary: fc.constant("own") },
  { weight: 3, arbitrary: fc.constantFrom("other", "reader", "bare", "revoked", "none", "junk", "two") },
);
const pathId = (kind: string) =>
  fc.oneof(
    { weight: 10, arbitrary: fc.nat(1_000).map((n) => `@${kind}:${n}`) },
    {
      weight: 1,
      arbitrary: fc.oneof(anyId.map(String), text.map(escaped), fc.constantFrom("", "%00", "%2e%2e", "..", "%c0%af")),
    },
  );
const otherKinds: Readonly<Record<string, string>> = {
  pipelines: "pipeline",
  users: "user",
  "api-key": "key",
  webhooks: "webhook",
};
const kindOf = (path: string): string => entityOfPath(path) ?? otherKinds[path.split("/")[1] ?? ""] ?? "other";

/** Rarely adds a tenantId, sometimes a wrong one. */
const tenant = fc.oneof(
  { weight: 16, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constantFrom("@tenant:0", "@tenant:1", "@other:0").map((tenantId) => ({ tenantId })) },
);

/** A request to this endpoint. Most are valid. */
export function draftOf(endpoint: Endpoint): fc.Arbitrary<Draft> {
  const { name, body: schema } = endpoint;
  const meant = schema === undefined ? fc.constant(undefined) : arbitraryOf(schema as v.GenericSchema);
  const unexpectedBody = fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: junk });
  const parts = fc.record({
    body:
      schema === undefined
        ? unexpectedBody
        : fc.tuple(meant, tenant).map(([body, more]) => ({ ...(body as object), ...more })),
    all: changes,
    text: fc.oneof({ weight: 25, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: brokenText }),
    query: queryOf(endpoint),
    headers: someHeaders,
    key,
    id: pathId(kindOf(endpoint.path)),
    method: fc.oneof(
      { weight: 40, arbitrary: fc.constant(endpoint.method) },
      { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS") },
    ),
    tail: fc.oneof(
      { weight: 60, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.constantFrom("/", "/x", "//", ";a=b", "%20", "/restore") },
    ),
  });
  return parts.map(({ body, all, text: breaking, query, headers: more, key: who, id, method, tail }) => {
    const json = body === undefined ? undefined : changedJson(body, all);
    const sent = json === undefined || breaking === null ? json : broken(json, breaking);
    const path = `${endpoint.path.replace(":id", id)}${tail}`;
    const isInvalid = all.length > 0 || breaking !== null || who !== "own" || Object.keys(more).length > 0;
    return { endpoint: name, method, path, query, headers: more, key: who, body: sent, isInvalid };
  });
}
