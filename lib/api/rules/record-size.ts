import type { FieldError } from "../../model/errors.ts";
import type { FieldValues } from "../../model/model.ts";

/** Maximum size of a record as JSON, in bytes. */
const maxRecordBytes = 1024 * 1024;
/** A UTF-16 unit takes at most six bytes in JSON, as an escape. */
const maxBytesPerUnit = 6;
/** More than the names of all fields, numbers and punctuation take. */
const otherBytes = 64 * 1024;

/**
 * Returns the error of a record that is too large. Its path is that of the longest value that the caller sent.
 * @param values all fields of the record
 * @param sent the fields that the caller sent
 */
export function checkRecordSize(kind: string, values: FieldValues, sent: FieldValues): FieldError | undefined {
  if (countUnits(values) * maxBytesPerUnit + otherBytes <= maxRecordBytes) return undefined;
  const bytes = bytesOf(values);
  if (bytes <= maxRecordBytes) return undefined;
  const [longest = []] = membersOf(sent)
    .sort((a, b) => bytesOf(b.value) - bytesOf(a.value))
    .map(({ path }) => path);
  const message =
    `The ${kind} would have ${bytes} bytes as JSON. A record has at most 1 MiB (${maxRecordBytes} bytes). ` +
    `Shorten its texts, for example ${longest.join(".")}.`;
  return { path: `/${longest.join("/")}`, code: "too_long", message };
}

/** Returns the length of all texts in a value. */
function countUnits(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let units = 0;
  for (const each of Object.values(value)) units += countUnits(each);
  return units;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** Returns the fields, and each custom field in place of `customFields`. */
function membersOf(sent: FieldValues): { readonly path: readonly string[]; readonly value: unknown }[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    if (name !== "customFields" || typeof value !== "object" || value === null) return [{ path: [name], value }];
    return Object.entries(value).map(([key, each]) => ({ path: [name, key], value: each }));
  });
}
