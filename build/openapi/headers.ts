import type { Endpoint } from "../../lib/index.ts";

type Header = {
  readonly description: string;
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
};

const whole = { type: "integer", minimum: 0 };

const own = {
  RequestId: {
    description:
      "The id of this request: the X-Request-Id that was sent, or one of the service. Report it with a fault.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$" },
    example: "0199c0a1-2b3c-7d4e-8f50-617283940a1b",
  },
  RateLimitLimit: {
    description: "How many requests are accepted per key in any 60 seconds.",
    required: true,
    schema: whole,
    example: 300,
  },
  RateLimitRemaining: {
    description: "How many of them are left, this request counted.",
    required: true,
    schema: whole,
    example: 299,
  },
  RateLimitReset: {
    description: "The Unix time in seconds, rounded up, at which all of them are back.",
    required: true,
    schema: whole,
    example: 1793612460,
  },
  RetryAfter: {
    description: "How many seconds from now to wait, at least 1; after that wait the next request is accepted.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 12,
  },
  WwwAuthenticate: {
    description: "The scheme to authenticate with.",
    required: true,
    schema: { type: "string" },
    example: 'Bearer realm="crm-integrations", error="invalid_token"',
  },
  Location: {
    description: "The path of what was made, with the prefix that the request had.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
    example: "/integrations/v1/tasks/0199c0a1-2b3c-7d4e-8f50-617283940a1b",
  },
  ETag: {
    description:
      "The version of the record: its updatedAt in double quotes. A proxy that compresses the response can add W/ before it.",
    required: true,
    schema: { type: "string", pattern: '^(W/)?"\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z"$' },
    example: '"2026-10-19T13:29:53.614Z"',
  },
  IdempotentReplayed: {
    description: "There where this answer was given before, to the same request under the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  NextUpdatedSince: {
    description: "The updatedSince to go on from next time, safe to store once this page has been processed.",
    required: true,
    schema: { type: "string", format: "date-time" },
    example: "2026-10-23T06:03:14.145Z",
  },
  Link: {
    description: "Leads to the next page, while there is one.",
    schema: { type: "string" },
    example: '<?cursor=AbCdEf>; rel="next"',
  },
} as const satisfies Readonly<Record<string, Header>>;

/** Those about the rate, where the key may not be known yet when the request is refused. */
const ifKnown = (["RateLimitLimit", "RateLimitRemaining", "RateLimitReset"] as const).map((name) => {
  const { required: _, description, ...header } = own[name];
  const words = `${description} Left out where the request was refused before its key was looked at.`;
  return [`${name}IfKnown`, { description: words, ...header }] as const;
});

/** Every header that answers carry beyond those of HTTP itself, by the name of its component. */
export const headers: Readonly<Record<string, Header>> = { ...own, ...Object.fromEntries(ifKnown) };

type Name = keyof typeof own | `RateLimit${"Limit" | "Remaining" | "Reset"}IfKnown`;
type Refs = Readonly<Record<string, unknown>>;

const refs = (named: Readonly<Record<string, Name>>): Refs =>
  Object.fromEntries(Object.entries(named).map(([name, key]) => [name, { $ref: `#/components/headers/${key}` }]));

const always = refs({ "X-Request-Id": "RequestId" });
const limits = refs({
  "X-RateLimit-Limit": "RateLimitLimit",
  "X-RateLimit-Remaining": "RateLimitRemaining",
  "X-RateLimit-Reset": "RateLimitReset",
});
const limitsIfKnown = refs({
  "X-RateLimit-Limit": "RateLimitLimitIfKnown",
  "X-RateLimit-Remaining": "RateLimitRemainingIfKnown",
  "X-RateLimit-Reset": "RateLimitResetIfKnown",
});
const retry = refs({ "Retry-After": "RetryAfter" });

/** The headers of a success. */
export function successHeaders({ method, success, access, hasETag }: Endpoint): Refs {
  const page = success.collection === "page" ? refs({ "X-Next-Updated-Since": "NextUpdatedSince", Link: "Link" }) : {};
  const replayed = method === "POST" ? refs({ "Idempotent-Replayed": "IdempotentReplayed" }) : {};
  const made = success.status === 201 && access !== "admin" ? refs({ Location: "Location" }) : {};
  const version = hasETag && success.data !== undefined ? refs({ ETag: "ETag" }) : {};
  return { ...always, ...limits, ...made, ...version, ...page, ...replayed };
}

/** The headers of a response with status 304. */
export const notModifiedHeaders: Refs = { ...always, ...limits, ...refs({ ETag: "ETag" }) };

/** The headers of an error of this status. */
export function errorHeaders(status: number): Refs {
  if (status === 401) return { ...always, ...refs({ "WWW-Authenticate": "WwwAuthenticate" }) };
  if (status === 429 || status === 503) return { ...always, ...limitsIfKnown, ...retry };
  return [400, 413, 500].includes(status) ? { ...always, ...limitsIfKnown } : { ...always, ...limits };
}
