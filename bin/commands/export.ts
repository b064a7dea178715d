import { createWriteStream, openSync, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  type ColumnTarget,
  createTargetFinder,
  exportRecords,
  formatByName,
  listCustomFields,
  suggestName,
} from "#lib/transfer";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { removeOnSignal } from "../cli/private-file.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, enumSetting, stringSetting } from "../cli/setting.ts";
import { formatSettings, parseRowOptions, requireEntity } from "../import/file-settings.ts";
import { stdio } from "../import/input-source.ts";
import { isDescriptor, resolveOutputTarget } from "../import/output-target.ts";
import { showProgress } from "../import/progress-bar.ts";
import { listTargets } from "../import/targets.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

export const exportCommand = command({
  name: "export",
  summary: "Export the records of a tenant to a CSV or NDJSON file, or to stdout",
  operands: "[FILE]",
  settings: {
    ...tenantSettings,
    ...formatSettings,
    fields: stringSetting("LIST", "fields to export, such as id,name,address.city (default: all)"),
    updatedSince: stringSetting("TIME", "only records changed at or after this time, such as 2026-03-01T00:00:00Z"),
    includeArchived: booleanSetting("include archived records and archivedAt"),
    references: enumSetting(["id", "name"], "export references as IDs or as names", "id"),
    spreadsheet: booleanSetting("escape cells that a spreadsheet would run as formulas"),
    json: booleanSetting("print the summary as JSON"),
  },
  examples: [
    "crm-integrations export accounts.csv --entity account",
    "crm-integrations export - --entity contact --format ndjson --updated-since 2026-03-01T00:00:00Z",
  ],
  async run({ json, fields, references, spreadsheet, ...values }, [file = stdio], program) {
    const started = performance.now();
    const entity = requireEntity(values.entity);
    const { format, delimiter } = parseRowOptions(values);
    const records = await withTenant(values, program, async ({ request }) => {
      const listed = listTargets(entity, await listCustomFields(request, entity));
      const all = listed.filter(({ isImportOnly }) => isImportOnly !== true);
      const defaultTargets = all.filter(({ name }) => name !== "archivedAt" || values.includeArchived);
      const { includeArchived, updatedSince } = values;
      const options = {
        ...{ entity, includeArchived, updatedSince },
        format: format ?? (file === stdio ? "csv" : formatByName(file)),
        delimiter: delimiter ?? ",",
        targets: fields === undefined ? defaultTargets : selectFields(fields, all),
        hasFieldList: fields !== undefined,
        useNames: references === "name",
        escapeFormulas: spreadsheet,
      };
      const progress = showProgress(program, "exporting", undefined);
      let count = 0;
      const onProgress = (records: number): void => {
        count = records;
        progress.update(records);
      };
      await write(program, file, exportRecords(request, options, onProgress));
      progress.end();
      return count;
    });
    const seconds = Math.round(performance.now() - started) / 1000;
    const text = json ? JSON.stringify({ records, seconds, file }) : `exported ${records} records in ${seconds} s`;
    (isStandard(file) ? program.stderr : program.stdout).write(`${text}\n`);
  },
});

/** Writes a file under a temporary name until it is complete. Writes a pipe or a device directly. @throws UsageError */
async function write(program: ProgramProcess, file: string, text: AsyncIterable<string>): Promise<void> {
  const source = Readable.from(text);
  if (isStandard(file)) return ignoreClosedPipe(pipeline(source, program.stdout, { end: false }));
  const { path, isFile } = resolveOutputTarget(file);
  if (!isFile) return ignoreClosedPipe(pipeline(source, createWriteStream(path)));
  const part = `${path}.part`;
  const cancelRemoval = removeOnSignal(program, part);
  try {
    await pipeline(source, createWriteStream(part, { fd: openSync(part, "w", 0o600), flush: true }));
    renameSync(part, path);
  } finally {
    cancelRemoval();
    rmSync(part, { force: true });
  }
}

/** Returns whether a file is stdout: `-`, or a path such as /dev/stdout. */
function isStandard(file: string): boolean {
  return file === stdio || isDescriptor(file, 1);
}

/** The reader may close the pipe early, such as `head`. */
async function ignoreClosedPipe(writing: Promise<void>): Promise<void> {
  await writing.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** @throws UsageError */
function selectFields(list: string, targets: readonly ColumnTarget[]): readonly ColumnTarget[] {
  const find = createTargetFinder(targets);
  return list.split(",").map((name) => {
    const target = find(name);
    const names = targets.map((each) => each.name);
    if (target !== undefined) return target;
    throw new UsageError(
      `--fields: unknown field "${name.trim()}"${suggestName(name, names)}. Known fields: ${names.join(", ")}.`,
    );
  });
}
