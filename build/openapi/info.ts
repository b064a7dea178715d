const description = `A customer's systems use this JSON API to read, create and synchronize accounts, contacts, opportunities,
tasks and notes.

**Authentication.** Send the API key of an integration as \`x-api-key\` or as \`Authorization: Bearer\`. The API key
determines the tenant.

**Optional parameters of every request.** \`tenantId\` in the query, and the headers \`x-tenant-id\` and
\`X-Request-Id\`, are accepted everywhere and needed nowhere. A tenant ID must be the caller's, or the response is
\`422 invalid_reference\`. Only the body of listActiveOpportunities requires a \`tenantId\`. An \`X-Request-Id\` of 1 to 128
letters, digits and . _ : - is returned in the response. The server replaces any other value with a generated ID.

**Requests.** Bodies are JSON in UTF-8, at most 1 MiB, without duplicate keys. Unknown parameters and fields are rejected
with a suggestion. Date-times need an offset. Responses contain them in UTC with milliseconds.

**Responses.** A record is \`{ "data": {…} }\`, a list is \`{ "data": […] }\`, and a page is
\`{ "data": […], "nextCursor": … }\`. Every response has \`X-Request-Id\`, \`Cache-Control: no-store\` and
\`X-Content-Type-Options: nosniff\`.

**Errors.** An error is \`{ "error": { "code", "message", "details"? } }\`. Validation errors are reported together. An unknown
path returns \`404 not_found\`. A method that a path doesn't support returns \`405 bad_request\` with \`Allow\`. Invalid
HTTP returns \`bad_request\` with status 400, 408, 417 or 431.

**Sync.** Read the pages with \`cursor\` until \`nextCursor\` is null. After you process a page, store its
\`X-Next-Updated-Since\`. Send the stored value as \`updatedSince\` in the next sync. It is inclusive, so the last record is
returned again.

**Idempotency.** Send the header \`Idempotency-Key\` with a POST, with a new UUID for each operation. For 24 hours, the same request with the same key returns the
first response again, with \`Idempotent-Replayed: true\`. Only successful responses are stored. After an error, you can
correct the request and send it with the same key.

**Conditional requests.** A response with a single record has an \`ETag\`: its \`updatedAt\` in double quotes. With
\`If-Match\`, a PATCH or DELETE returns \`412 conflict\` if the record has changed since. With \`If-None-Match\`, a GET
returns \`304\` if it is unchanged. A POST rejects \`If-Match\`.

**Dry run.** With \`Prefer: dry-run\`, a POST, PATCH or DELETE of records runs all checks and returns the response of the real
request, but writes nothing. The response has \`Preference-Applied: dry-run\`. Its ID and times are not final. Other writes reject
the header, and a GET ignores it.

**Events.** \`GET /events\` lists what happened to the records, in the order of the commits. With \`Prefer: wait=20\`, it and the
lists of records wait for a change if there is none.

**Rate limit.** Each API key can send 300 requests in any 60 seconds. A response with status 429 has the seconds to wait in
\`Retry-After\`.

**Versions.** Within v1, operations, optional parameters and members of responses can be added. Ignore members that you don't
know.`;

/** The Info Object. */
export const info = {
  title: "crm-integrations",
  summary: "The public API of a CRM for the systems of its customers.",
  description,
  version: "1.0.0",
  license: { name: "MIT", identifier: "MIT" },
};

export const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "API key of an integration. It has the scopes of the integration.",
  },
  bearerKey: {
    type: "http",
    scheme: "bearer",
    description:
      "API key as `Authorization: Bearer`. If the request also has x-api-key with another API key, it returns 401.",
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "Token of the tenant's sign-in service for a user who is an active admin. Don't send x-api-key with it.",
  },
};
