import { writeFileSync } from "node:fs";
import { Failure } from "../cli/errors.ts";

/** Settings that describe a kind of file, not one import. */
const savedNames = [
  ...["entity", "format", "delimiter", "dateFormat", "decimal", "trim", "map", "ignoreColumns", "upsertBy", "empty"],
  ...["dropInvalid", "spreadsheet"],
];

/** Writes the settings as a configuration file that `--config` reads. @throws Failure if the file exists */
export function saveMapping(file: string, values: Readonly<Record<string, unknown>>): void {
  const saved = savedNames.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  try {
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(saved), null, 2)}\n`, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it exists and isn't overwritten" : code;
    throw new Failure(`Cannot write the mapping ${file}: ${reason}. Choose another name for --save-mapping.`);
  }
}
