import * as v from "valibot";
import { dateTime } from "../model/date-time.ts";
import { errorCodes, fieldErrorCodes } from "../model/errors.ts";
import { describe, integer, jsonSchema, uuid } from "../model/scalars.ts";
import { requestSources, requestSteps } from "../storage/request-log.ts";

const number = v.pipe(v.number(), v.minValue(0));

const count = v.pipe(v.number(), v.integer());
const time = v.pipe(v.string(), jsonSchema({ format: "date-time" }));

const limits = v.pipe(
  v.strictObject({
    minimum: v.optional(describe(v.number(), "Smallest number.")),
    maximum: v.optional(describe(v.number(), "Largest number.")),
    maxLength: v.optional(describe(count, "Maximum number of characters.")),
    minItems: v.optional(describe(count, "Minimum number of entries.")),
    maxItems: v.optional(describe(count, "Maximum number of entries, or of records that a list sorts.")),
    totalDigits: v.optional(describe(count, "Maximum number of significant digits.")),
    notBefore: v.optional(describe(time, "Earliest time.")),
    notAfter: v.optional(describe(time, "Latest time.")),
  }),
  jsonSchema({
    title: "Limits",
    description: "The limits that the value exceeds (too_long, out_of_range). Absent if they aren't numbers or times.",
  }),
);

const problem = v.pipe(
  v.strictObject({
    step: describe(v.picklist(requestSteps), "The check that rejected the request. Checks run in this order."),
    errors: describe(
      v.array(
        v.strictObject({
          path: describe(v.string(), "JSON Pointer into the body, `?name` of a parameter, or the name of a header."),
          code: describe(v.picklist(fieldErrorCodes), "The kind of error."),
          allowed: v.optional(describe(v.array(v.string()), "Values that are allowed.")),
          limits: v.optional(limits),
        }),
      ),
      "The entries of `details.errors`, without their messages.",
    ),
    body: v.optional(
      describe(
        v.record(v.string(), v.unknown()),
        "The members of the body with types in place of values, such as `string(12)` or `array(3)`. At most 50 members " +
          "and 2 KiB.",
      ),
    ),
    reason: v.optional(describe(v.string(), "`details.reason` of a conflict.")),
    required: v.optional(describe(v.string(), "The missing scope.")),
    existingId: v.optional(describe(v.string(), "ID of the record that has the unique value.")),
    firstUse: v.optional(
      describe(
        v.strictObject({
          path: describe(v.string(), "Path of the earlier request."),
          usedAt: describe(v.string(), "Time of the earlier request."),
        }),
        "The earlier request with the same Idempotency-Key.",
      ),
    ),
  }),
  jsonSchema({ title: "RequestProblem", description: "Why a request failed. It has no value of the request." }),
);

/** The schema of an entry of the request log. */
export const requestEntrySchema = v.pipe(
  v.strictObject({
    requestId: describe(v.string(), "`X-Request-Id` of the response. Not unique, because the client can choose it."),
    at: describe(dateTime, "Time at which the server received the request."),
    method: describe(v.string(), "HTTP method."),
    path: describe(v.string(), "Path with IDs, and the names of the query parameters."),
    operation: describe(v.string(), "Name of the operation."),
    status: describe(integer(100, 599), "HTTP status of the response."),
    code: describe(v.nullable(v.picklist(errorCodes)), "Error code. `null` if the request succeeded."),
    durationMs: describe(number, "Time from receiving the request to creating its response, in milliseconds."),
    integrationId: describe(v.nullable(uuid), "ID of the integration. `null` for a user."),
    keyId: describe(v.nullable(uuid), "ID of the API key. `null` if there is none."),
    userId: describe(v.nullable(uuid), "ID of the user. `null` for an integration."),
    replayed: describe(v.boolean(), "Whether the response is a replay for an Idempotency-Key."),
    dryRun: describe(v.boolean(), "Whether the request ran without writing."),
    source: describe(
      v.picklist(requestSources),
      "`http` for the API, `console` for the console, `mcp` for an MCP tool.",
    ),
    traceId: describe(v.nullable(v.string()), "Trace ID in the header `traceparent`. `null` if there is none."),
    changes: describe(
      v.strictObject({
        count: describe(integer(0), "Number of written records."),
        ids: describe(v.array(v.string()), "IDs of written records. At most 20."),
      }),
      "The records that the request wrote.",
    ),
    problem: describe(v.nullable(problem), "Why the request failed. `null` if it succeeded."),
  }),
  jsonSchema({ title: "RequestEntry", description: "A request that failed, that wrote something, or of an admin." }),
);

/** The schema of a number of requests. */
export const requestTotalSchema = v.pipe(
  v.strictObject({
    key: describe(
      v.nullable(v.string()),
      "The operation, the ID of the integration, the error code, or the start of the hour. `null` if there is none.",
    ),
    count: describe(integer(0), "Number of requests."),
    clientErrors: describe(integer(0), "Number of responses with a status from 400 to 499."),
    serverErrors: describe(integer(0), "Number of responses with a status from 500."),
    averageMs: describe(number, "Average duration in milliseconds."),
    maxMs: describe(number, "Longest duration in milliseconds."),
  }),
  jsonSchema({ title: "RequestTotal", description: "The number of requests with the same key." }),
);
