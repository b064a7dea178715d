import type { JsonSchema } from "@valibot/to-json-schema";
import { fieldErrorCodes } from "../../lib/model/errors.ts";
import { codeOf, errorWords } from "./errors.ts";

const codes = [...new Set(Object.keys(errorWords).map((name) => codeOf(name as keyof typeof errorWords)))];

/** The schemas of what goes wrong. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  FieldError: {
    type: "object",
    description: "One thing that is wrong with a request.",
    properties: {
      path: {
        type: "string",
        description: "A JSON Pointer into the body (/customFields/segment), ?name for a parameter, or a header's name.",
      },
      code: { type: "string", enum: [...fieldErrorCodes], description: "The sort of problem." },
      message: { type: "string", description: "A sentence for people. It may change." },
      allowed: {
        type: "array",
        items: { type: "string" },
        description: "What would be accepted, where that is a list. Long lists are cut.",
      },
    },
    required: ["path", "code", "message"],
    additionalProperties: false,
  },
  ErrorDetails: {
    type: "object",
    description: "What a program can use. Which members are there depends on the code.",
    properties: {
      errors: {
        type: "array",
        items: { $ref: "#/components/schemas/FieldError" },
        description: "Every problem that was found (validation_error, invalid_reference and those of custom fields).",
      },
      errorCount: { type: "integer", minimum: 1, description: "How many problems there were, where errors is cut." },
      existingId: { type: "string", format: "uuid", description: "duplicate: the id of the record in the way." },
      field: { type: "string", description: "duplicate: the field whose value is taken." },
      reason: { type: "string", description: "conflict: a word for why, such as status_transition." },
      allowed: { type: "array", items: { type: "string" }, description: "conflict: the states that are possible now." },
      updatedAt: {
        type: "string",
        format: "date-time",
        description: "conflict (412): the updatedAt of the record's current version.",
      },
      required: { type: "string", description: "insufficient_scope: the scope that is missing, or admin." },
      granted: {
        type: "array",
        items: { type: "string" },
        description: "insufficient_scope: the scopes that the integration has.",
      },
      parameter: { type: "string", description: "invalid_cursor: the filter that does not go with the cursor." },
      requestId: { type: "string", description: "internal_error: what to report; the X-Request-Id of the answer." },
    },
    additionalProperties: false,
  },
  Error: {
    type: "object",
    description: "Every error has this form. Decide by code; messages are for people and may change.",
    properties: {
      error: {
        type: "object",
        description: "What went wrong.",
        properties: {
          code: { type: "string", enum: codes, description: "What went wrong, in a word. The list is closed." },
          message: { type: "string", description: "What went wrong and the way out, in a sentence for people." },
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
