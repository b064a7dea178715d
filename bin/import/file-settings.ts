import { UsageError } from "../cli/errors.ts";
import { enumSetting, stringSetting } from "../cli/setting.ts";
import { formats, type RowOptions } from "./rows.ts";
import { type Entity, entities } from "./target.ts";

/** What import and export are told of their files. */
export const formatSettings = {
  entity: stringSetting(entities.join("|"), "what a row is"),
  format: enumSetting(["auto", ...formats], "how the file is written; auto goes by its name", "auto"),
  delimiter: stringSetting("SIGN", "what separates cells, or tab (default: a comma; import looks at the head)"),
} as const;

/** @throws UsageError */
export function entityOf(text: string | undefined): Entity {
  const entity = entities.find((each) => each === text);
  if (entity === undefined) throw new UsageError(`Say what a row is: --entity ${entities.join("|")}.`);
  return entity;
}

/** @throws UsageError */
export function rowsAsked(said: { format: "auto" | "csv" | "ndjson"; delimiter: string | undefined }): RowOptions {
  const { format, delimiter } = said;
  const sign = delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter;
  if (sign !== undefined && (Array.from(sign).length !== 1 || /["\r\n]/.test(sign)))
    throw new UsageError("--delimiter is one sign, such as ; or the word tab.");
  return { format: format === "auto" ? undefined : format, delimiter: sign };
}
