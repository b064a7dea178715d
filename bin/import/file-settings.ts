import { dateFormats, type Entity, encodings, entities, type Format, formats } from "#lib/transfer";
import { UsageError } from "../cli/errors.ts";
import { booleanSetting, enumSetting, stringSetting } from "../cli/setting.ts";

/** Settings of import and export for their files. */
export const formatSettings = {
  entity: stringSetting(entities.join("|"), "kind of the records"),
  format: enumSetting(["auto", ...formats], "file format; auto uses the file extension", "auto"),
  delimiter: stringSetting("CHAR", "CSV delimiter, or the word tab (default: comma; import detects it)"),
} as const;

/** Settings for files with the dates, numbers and characters of a country. */
export const localeFormatSettings = {
  dateFormat: enumSetting(dateFormats, "format of the dates in the file", "YYYY-MM-DD"),
  decimal: enumSetting(
    [".", ","],
    "decimal separator of the file; with a comma, points or spaces group thousands",
    ".",
  ),
  trim: booleanSetting("remove spaces around the cells"),
  encoding: enumSetting(encodings, "character encoding of the file; a byte order mark wins", "utf-8"),
} as const;

/** @throws UsageError */
export function requireEntity(text: string | undefined): Entity {
  const entity = entities.find((each) => each === text);
  if (entity !== undefined) return entity;
  const rejected = text === undefined ? "" : `, not "${text}"`;
  throw new UsageError(`--entity must be one of ${entities.join(", ")}${rejected}.`);
}

/** @throws UsageError */
export function parseRowOptions(values: { format: "auto" | "csv" | "ndjson"; delimiter: string | undefined }): {
  readonly format: Format | undefined;
  readonly delimiter: string | undefined;
} {
  const { format, delimiter } = values;
  const char = delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter;
  if (char !== undefined && (Array.from(char).length !== 1 || /["\r\n]/.test(char)))
    throw new UsageError("--delimiter must be one character, such as ; or the word tab.");
  return { format: format === "auto" ? undefined : format, delimiter: char };
}
