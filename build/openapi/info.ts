const description = `The HTTP and JSON API of a CRM: a customer's systems read, create and synchronise accounts, contacts,
opportunities and tasks through it.

**Authentication.** Send an integration's API key as \`x-api-key\`, or as \`Authorization: Bearer\`. The key decides the
tenant. A \`tenantId\` is never needed (but for listActiveOpportunities) and must agree with the key wherever it is sent.

**What is sent.** Input is strict: an unknown parameter or key is refused with a suggestion, never ignored. Date-times need
an offset and come back in UTC with milliseconds. Bodies are JSON in UTF-8, 1 MiB at most, each key once.

**What comes back.** One record is \`{ "data": {…} }\`, a list \`{ "data": […] }\`, a page \`{ "data": […], "nextCursor": … }\`.
Every error is \`{ "error": { "code", "message", "details"? } }\`, and names everything that is wrong at once. Every answer
carries \`X-Request-Id\`, \`Cache-Control: no-store\` and \`X-Content-Type-Options: nosniff\`. A path that does not exist is
\`404 not_found\`; a method that a path does not take is \`405 bad_request\` with \`Allow\`; what is no proper HTTP is refused with
\`bad_request\` and 400, 408, 417 or 431.

**To stay in sync.** Walk the pages with \`cursor\` until \`nextCursor\` is null, store \`X-Next-Updated-Since\` of each page once
it has been processed, and go on from there with \`updatedSince\`, which is inclusive: the last record comes once more.

**To do a thing once.** Send \`Idempotency-Key: <uuid>\` with a POST. For 24 hours, the same request under the same key gets the
first answer again, with \`Idempotent-Replayed: true\`. Only success is kept: a refused request may be mended and sent again.

**Conditional requests.** A single record carries \`ETag\`, its \`updatedAt\` in double quotes. With \`If-Match\`, a PATCH or DELETE
returns \`412 conflict\` if the record has changed since. With \`If-None-Match\`, a GET returns \`304\` if it is unchanged.

**Limits.** 300 requests in any 60 seconds per key; \`429\` says in \`Retry-After\` how many seconds to wait.

**Versions.** Within v1 there are only additions: new operations, optional parameters, members of answers. Ignore members
that you do not know.`;

export const about = {
  title: "crm-integrations",
  summary: "The public API of a CRM for its customers' systems.",
  description,
  version: "1.0.0",
  license: { name: "MIT", identifier: "MIT" },
};

export const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "An integration's API key. It has the scopes of its integration.",
  },
  bearerKey: {
    type: "http",
    scheme: "bearer",
    description: "The same API key as `Authorization: Bearer`. Sent with x-api-key too, both must be the same.",
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token of the tenant's sign-in service, for a user who is an active administrator. It is sent alone, without " +
      "x-api-key.",
  },
};

/** Entity tags as a header has them: *, or tags in double quotes. */
const entityTags = '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$';

/** The parameters that every operation takes, or those of one method. */
export const parameters = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "An id of your own for this request, which the answer repeats: 1 to 128 letters, digits and . _ : -. Any other is " +
      "replaced by one of the service.",
    schema: { type: "string", examples: ["import-2026-11-02.17"] },
  },
  TenantHeader: {
    name: "x-tenant-id",
    in: "header",
    description: "The id of the key's tenant, for clients that send it everywhere. Another one is refused with 422.",
    schema: { type: "string", format: "uuid", examples: ["01943aa0-bc00-7f06-b989-aece882520fc"] },
  },
  TenantQuery: {
    name: "tenantId",
    in: "query",
    description: "The same as x-tenant-id.",
    schema: { type: "string", format: "uuid", examples: ["01943aa0-bc00-7f06-b989-aece882520fc"] },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "The ETag of the version that you read, its updatedAt in double quotes. If the record has changed since, the " +
      "response is 412 and nothing changes. Several ETags are separated by commas; * matches every version.",
    schema: { type: "string", pattern: entityTags, examples: ['"2026-10-19T13:29:53.614Z"'] },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The ETag of the version that you have. If it is the current one, the response is 304 without a body. Several ETags " +
      "are separated by commas; * matches every version.",
    schema: { type: "string", examples: ['"2026-10-19T13:29:53.614Z"'] },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A uuid, new for each thing to be done, with or without quotes. For 24 hours the same request under the same key " +
      "gets the first answer again and has no second effect.",
    schema: {
      anyOf: [
        { type: "string", format: "uuid" },
        { type: "string", pattern: '^"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"$' },
      ],
      examples: ["0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53"],
    },
  },
};
