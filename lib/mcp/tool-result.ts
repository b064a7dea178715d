import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiError } from "../model/errors.ts";
import type { McpResponse } from "./call.ts";

/** Maximum length of the JSON of a result, because it fills the context of a model. */
const maxCharacters = 40_000;

type Item = Readonly<Record<string, unknown>> & { readonly data?: { readonly id?: unknown } };

/** Returns a response as the result of a tool: as JSON, and as its text. */
export function toToolResult({ status, body }: McpResponse): CallToolResult {
  const text = JSON.stringify(body);
  if (status >= 400) return { ...resultOf(body, text), isError: true };
  if (text.length <= maxCharacters) return resultOf(body, text);
  // A write has happened, so its result must not be an error, after which the model would repeat it.
  const written = withoutRecords(body);
  if (written === undefined) {
    const error = tooLong(text.length, body).toJSON();
    return { ...resultOf(error, JSON.stringify(error)), isError: true };
  }
  const result = resultOf(written, JSON.stringify(written));
  const note = "The records are too long for a result, which has only their IDs. Read them with get_records.";
  return { ...result, content: [...result.content, { type: "text", text: note }] };
}

function resultOf(body: unknown, text: string) {
  return { content: [{ type: "text" as const, text }], structuredContent: body as Record<string, unknown> };
}

/** Returns the result of a batch with the IDs of its records only. Undefined for any other response. */
function withoutRecords(body: unknown): object | undefined {
  const { data } = body as { readonly data?: unknown };
  if (!Array.isArray(data) || typeof data[0]?.index !== "number") return undefined;
  return {
    data: data.map(({ data: record, ...item }: Item) => (record ? { ...item, data: { id: record.id } } : item)),
  };
}

function tooLong(length: number, body: unknown): ApiError {
  const { data, nextCursor } = body as { readonly data?: unknown; readonly nextCursor?: unknown };
  const count = `The result has ${length.toLocaleString("en")} characters, more than ${maxCharacters.toLocaleString("en")}.`;
  if (!Array.isArray(data) || data.length !== 1)
    return new ApiError("bad_request", `${count} Use a smaller limit, a filter or fewer IDs.`);
  // Without the cursor, a list could not get past a long record.
  const details = nextCursor ? { nextCursor } : {};
  return new ApiError("bad_request", `${count} Read this record with the HTTP API.`, { details });
}
