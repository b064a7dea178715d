import { fieldErrorCodes } from "../../lib/model/errors.ts";
import type { JsonSchema } from "../../lib/model/json-schema.ts";
import { codeOf, errorDescriptions } from "./errors.ts";

const codes = [
  ...new Set(Object.keys(errorDescriptions).map((name) => codeOf(name as keyof typeof errorDescriptions))),
];

/** Schemas of error responses, by component name. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  FieldError: {
    type: "object",
    description: "An error in one field, parameter or header of a request.",
    properties: {
      path: {
        type: "string",
        description:
          "Location of the error: a JSON Pointer into the body (`/customFields/segment`), `?name` for a query " +
          "parameter, or the name of a header.",
      },
      code: { type: "string", enum: [...fieldErrorCodes], description: "Type of the error." },
      message: { type: "string", description: "Explanation for people. The wording can change." },
      allowed: {
        type: "array",
        items: { type: "string" },
        description: "Accepted values, or the known names of an unknown_key. At most 20 of them.",
      },
      suggestion: {
        type: "string",
        description: "The known value or name that is closest to a misspelled one. The message ends with it.",
      },
      // The request log has them too.
      limits: { $ref: "#/components/schemas/Limits" },
    },
    required: ["path", "code", "message"],
    additionalProperties: false,
  },
  BatchFailure: {
    type: "object",
    description: "An operation of an atomic batch that failed.",
    properties: {
      index: { type: "integer", minimum: 0, description: "Position of the operation in the request, from 0." },
      status: { type: "integer", description: "Status of the single request." },
      error: { $ref: "#/components/schemas/BatchError" },
    },
    required: ["index", "status", "error"],
    additionalProperties: false,
  },
  ErrorDetails: {
    type: "object",
    description: "Machine-readable details. The members depend on the code.",
    properties: {
      errors: {
        type: "array",
        items: { $ref: "#/components/schemas/FieldError" },
        description: "All errors found (validation_error, invalid_reference and the codes of custom fields).",
      },
      errorCount: {
        type: "integer",
        minimum: 1,
        description: "Total number of errors. Present if errors is truncated.",
      },
      existingId: { type: "string", format: "uuid", description: "ID of the record that has the value (duplicate)." },
      field: { type: "string", description: "Field whose value is already in use (duplicate)." },
      reason: {
        type: "string",
        description: "Cause of the conflict, such as stale (conflict), or expired (invalid_cursor).",
      },
      count: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description:
          "Number of open opportunities in a pipeline or stage, at most 100 (conflict with the reason in_use).",
      },
      ids: {
        type: "array",
        items: { type: "string", format: "uuid" },
        description:
          "IDs of the records that match (conflict with the reason ambiguous), or of the rules that require a custom field " +
          "(in_use). At most 100.",
      },
      items: {
        type: "array",
        items: { $ref: "#/components/schemas/BatchFailure" },
        description: "The operations that failed (validation_error of an atomic batch).",
      },
      allowed: { type: "array", items: { type: "string" }, description: "States that are possible now (conflict)." },
      updatedAt: {
        type: "string",
        format: "date-time",
        description: "Current updatedAt of the record (conflict with the reason stale).",
      },
      required: { type: "string", description: "Missing scope, or admin (insufficient_scope)." },
      granted: {
        type: "array",
        items: { type: "string" },
        description: "Scopes of the integration (insufficient_scope).",
      },
      parameter: {
        type: "string",
        description: "Filter that is missing or doesn't match the cursor (invalid_cursor).",
      },
      method: { type: "string", description: "Method of the first use of the key (idempotency_key_reused)." },
      path: {
        type: "string",
        description: "Path of the first use of the key, relative to the base URL (idempotency_key_reused).",
      },
      usedAt: {
        type: "string",
        format: "date-time",
        description: "Time of the first use of the key (idempotency_key_reused).",
      },
      eventsFrom: {
        type: "string",
        format: "date-time",
        description: "Time from which all events exist (invalid_cursor with the reason expired).",
      },
      remedy: { type: "string", description: "How to continue (invalid_cursor with the reason expired)." },
      requestId: {
        type: "string",
        description: "ID to report, equal to the X-Request-Id of the response (internal_error).",
      },
    },
    additionalProperties: false,
  },
  Error: {
    type: "object",
    description: "Body of every error response. Programs should use the code, because messages can change.",
    properties: {
      error: {
        type: "object",
        description: "The error.",
        properties: {
          code: { type: "string", enum: codes, description: "Type of the error. No codes are added within v1." },
          message: { type: "string", description: "Explanation for people, with a suggested fix." },
          details: { $ref: "#/components/schemas/ErrorDetails" },
        },
        required: ["code", "message"],
        additionalProperties: false,
      },
    },
    required: ["error"],
    additionalProperties: false,
  },
};
