import type { Endpoint } from "../../lib/index.ts";

type Header = {
  readonly description: string;
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
};

const nonNegativeInteger = { type: "integer", minimum: 0 };

const ownHeaders = {
  RequestId: {
    description:
      "ID of the request: the X-Request-Id of the request, or an ID that the server generates. Include it in error reports.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$" },
    example: "0199c0a1-2b3c-7d4e-8f50-617283940a1b",
  },
  RateLimitLimit: {
    description: "Maximum number of requests per API key in any 60 seconds.",
    required: true,
    schema: nonNegativeInteger,
    example: 300,
  },
  RateLimitRemaining: {
    description: "Number of requests left, after this one.",
    required: true,
    schema: nonNegativeInteger,
    example: 299,
  },
  RateLimitReset: {
    description: "Unix time in seconds, rounded up, when the full limit is available again.",
    required: true,
    schema: nonNegativeInteger,
    example: 1793612460,
  },
  RetryAfter: {
    description: "Seconds to wait before the next request, at least 1.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 12,
  },
  WwwAuthenticate: {
    description: "Authentication scheme.",
    required: true,
    schema: { type: "string" },
    example: 'Bearer realm="crm-integrations", error="invalid_token"',
  },
  Location: {
    description: "URL of the created record, relative to the request URL. Absent from a dry run.",
    schema: { type: "string", format: "uri-reference" },
    example: "tasks/0199c0a1-2b3c-7d4e-8f50-617283940a1b",
  },
  ETag: {
    description:
      "Version of the record: its updatedAt in double quotes. Of a schema: a hash. A proxy that compresses the response " +
      "can prepend W/. Absent from a dry run.",
    schema: { type: "string", pattern: '^(W/)?"[0-9A-Za-z:._-]+"$' },
    example: '"2026-10-19T13:29:53.614Z"',
  },
  IdempotentReplayed: {
    description: "`true` if the response is a replay.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Upsert: {
    description: "`created`, `updated` or `unchanged`. Absent from a replay.",
    schema: { type: "string", enum: ["created", "updated", "unchanged"] },
    example: "created",
  },
  PreferenceApplied: {
    description: "`dry-run` if nothing was written.",
    schema: { type: "string", const: "dry-run" },
    example: "dry-run",
  },
  WaitApplied: {
    description: "`wait=N` if the request could wait for records.",
    schema: { type: "string", pattern: "^wait=[0-9]+$" },
    example: "wait=20",
  },
  NextUpdatedSince: {
    description: "Value for `updatedSince` in the next sync. Store it after you process this page.",
    required: true,
    schema: { type: "string", format: "date-time" },
    example: "2026-10-23T06:03:14.145Z",
  },
  NextUpdatedSinceOfOrder: {
    description:
      "Value for `updatedSince` in the next sync. Store it after you process this page. Absent in another order than `updatedAt`.",
    schema: { type: "string", format: "date-time" },
    example: "2026-10-23T06:03:14.145Z",
  },
  TotalCount: {
    description: "With `count=true`, the number of records that match the filters, at most 10,000.",
    schema: { type: "integer", minimum: 0, maximum: 10_000 },
    example: 11,
  },
  TotalCountMinimum: {
    description: "`true` if there can be more matches than `X-Total-Count`. Otherwise absent.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Link: {
    description: "URL query of the next page. Absent on the last page.",
    schema: { type: "string" },
    example: '<?cursor=AbCdEf>; rel="next"',
  },
} as const satisfies Readonly<Record<string, Header>>;

/** Rate limit headers of errors that the server can return before it identifies the API key. */
const optionalRateLimits = (["RateLimitLimit", "RateLimitRemaining", "RateLimitReset"] as const).map((name) => {
  const { required: _, description, ...header } = ownHeaders[name];
  const note = "Absent if the server rejected the request before it checked the API key.";
  return [`${name}IfKnown`, { description: `${description} ${note}`, ...header }] as const;
});

/** Response headers of the API, by component name. Excludes the headers of HTTP itself. */
export const headers: Readonly<Record<string, Header>> = { ...ownHeaders, ...Object.fromEntries(optionalRateLimits) };

type HeaderName = keyof typeof ownHeaders | `RateLimit${"Limit" | "Remaining" | "Reset"}IfKnown`;
type Refs = Readonly<Record<string, unknown>>;

const refs = (names: Readonly<Record<string, HeaderName>>): Refs =>
  Object.fromEntries(Object.entries(names).map(([name, key]) => [name, { $ref: `#/components/headers/${key}` }]));

const always = refs({ "X-Request-Id": "RequestId" });
const rateLimits = refs({
  "X-RateLimit-Limit": "RateLimitLimit",
  "X-RateLimit-Remaining": "RateLimitRemaining",
  "X-RateLimit-Reset": "RateLimitReset",
});
const rateLimitsIfKnown = refs({
  "X-RateLimit-Limit": "RateLimitLimitIfKnown",
  "X-RateLimit-Remaining": "RateLimitRemainingIfKnown",
  "X-RateLimit-Reset": "RateLimitResetIfKnown",
});
const retryAfter = refs({ "Retry-After": "RetryAfter" });

/** Returns the headers of a successful response. */
export function successHeaders({ method, path, query, success, access, hasETag, hasDryRun, canWait }: Endpoint): Refs {
  const watermarkName = "order" in query ? "NextUpdatedSinceOfOrder" : "NextUpdatedSince";
  const watermark = "updatedSince" in query ? refs({ "X-Next-Updated-Since": watermarkName }) : {};
  const page = success.collection === "page" ? { ...watermark, ...refs({ Link: "Link" }) } : {};
  const counts = { "X-Total-Count": "TotalCount", "X-Total-Count-Minimum": "TotalCountMinimum" } as const;
  const counted = "count" in query ? refs(counts) : {};
  const replayed = method === "POST" ? refs({ "Idempotent-Replayed": "IdempotentReplayed" }) : {};
  const location =
    success.status === 201 && (access !== "admin" || path.startsWith("/admin/")) ? refs({ Location: "Location" }) : {};
  const version = hasETag && success.data !== undefined ? refs({ ETag: "ETag" }) : {};
  const applied = hasDryRun ? refs({ "Preference-Applied": "PreferenceApplied" }) : {};
  const waited = canWait ? refs({ "Preference-Applied": "WaitApplied" }) : {};
  const upsert = success.otherStatus === 201 ? refs({ "X-Upsert": "Upsert" }) : {};
  return {
    ...always,
    ...rateLimits,
    ...upsert,
    ...location,
    ...version,
    ...page,
    ...counted,
    ...replayed,
    ...applied,
    ...waited,
  };
}

/** Headers of a response with status 304. */
export const notModifiedHeaders: Refs = { ...always, ...rateLimits, ...refs({ ETag: "ETag" }) };

/** Returns the headers of an error response. */
export function errorHeaders(status: number): Refs {
  if (status === 401) return { ...always, ...refs({ "WWW-Authenticate": "WwwAuthenticate" }) };
  if (status === 429 || status === 503) return { ...always, ...rateLimitsIfKnown, ...retryAfter };
  return [400, 413, 500].includes(status) ? { ...always, ...rateLimitsIfKnown } : { ...always, ...rateLimits };
}
