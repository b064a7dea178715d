import { createWriteStream, openSync, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { command } from "../cli/command.ts";
import { removeOnSignal } from "../cli/private-file.ts";
import { booleanSetting, enumSetting, stringSetting } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { type ApiRecord, pagesOf } from "../export/export-pages.ts";
import { textOf } from "../export/export-rows.ts";
import { ReferenceNames } from "../export/reference-names.ts";
import { catalogOf } from "../import/catalog.ts";
import { finderOf } from "../import/columns.ts";
import { entityOf, formatSettings, rowsAsked } from "../import/file-settings.ts";
import { isDescriptor, resolveOutputTarget } from "../import/output-target.ts";
import { showProgress } from "../import/progress-bar.ts";
import { formatOf } from "../import/rows.ts";
import { standard } from "../import/source.ts";
import { suggestName } from "../import/suggest-name.ts";
import { type Target, targetsOf } from "../import/target.ts";
import { type OpenTenant, tenantSettings, withTenant } from "../tenants/tenant.ts";

export const exportCommand = command({
  name: "export",
  summary: "Write the records of a tenant to a CSV or NDJSON file, or to standard output",
  operands: "[FILE]",
  settings: {
    ...tenantSettings,
    ...formatSettings,
    fields: stringSetting("LIST", "only these, such as id,name,address.city (default: all)"),
    updatedSince: stringSetting("TIME", "only records changed at or after this time, such as 2026-03-01T00:00:00Z"),
    includeArchived: booleanSetting("archived records too, with archivedAt"),
    references: enumSetting(["id", "name"], "what stands for accounts, contacts, owners, pipelines and stages", "id"),
    spreadsheet: booleanSetting("put a ' before cells that a spreadsheet would run as formulas"),
    json: booleanSetting("the summary as JSON"),
  },
  examples: [
    "crm-integrations export accounts.csv --entity account",
    "crm-integrations export - --entity contact --format ndjson --updated-since 2026-03-01T00:00:00Z",
  ],
  async run({ json, fields, references, spreadsheet, ...values }, [file = standard]) {
    const started = performance.now();
    const entity = entityOf(values.entity);
    const { format, delimiter } = rowsAsked(values);
    const records = await withTenant(values, async (opened) => {
      const all = targetsOf(entity, await catalogOf(opened, entity));
      const shown = all.filter(({ name }) => name !== "archivedAt" || values.includeArchived);
      const shape = {
        format: format ?? (file === standard ? "csv" : formatOf(file)),
        delimiter: delimiter ?? ",",
        targets: fields === undefined ? shown : chosen(fields, all),
        isChosen: fields !== undefined,
        names: references === "name" ? new ReferenceNames(opened.storage, opened.tenantId) : undefined,
        isForSpreadsheet: spreadsheet,
      };
      const counted = countedPages(opened, entity, values);
      await write(file, textOf(counted.pages, shape));
      return counted.count();
    });
    const seconds = Math.round(performance.now() - started) / 1000;
    const text = json ? JSON.stringify({ records, seconds, file }) : `exported ${records} records in ${seconds} s`;
    (isStandard(file) ? process.stderr : process.stdout).write(`${text}\n`);
  },
});

function countedPages(
  opened: OpenTenant,
  ...[entity, asked]: [Parameters<typeof pagesOf>[1], Parameters<typeof pagesOf>[2]]
) {
  let records = 0;
  const shown = showProgress("exporting", undefined);
  async function* pages(): AsyncGenerator<readonly ApiRecord[]> {
    for await (const page of pagesOf(opened, entity, asked)) {
      yield page;
      records += page.length;
      shown.at(records);
    }
    shown.end();
  }
  return { pages: pages(), count: () => records };
}

/** A file takes its name once it is whole; a pipe or a device is written to as it is. @throws UsageError */
async function write(file: string, text: AsyncIterable<string>): Promise<void> {
  const source = Readable.from(text);
  if (isStandard(file)) return unlessLeft(pipeline(source, process.stdout, { end: false }));
  const { path, isFile } = resolveOutputTarget(file);
  if (!isFile) return unlessLeft(pipeline(source, createWriteStream(path)));
  const part = `${path}.part`;
  const keep = removeOnSignal(part);
  try {
    await pipeline(source, createWriteStream(part, { fd: openSync(part, "w", 0o600), flush: true }));
    renameSync(part, path);
  } finally {
    keep();
    rmSync(part, { force: true });
  }
}

/** Whether it goes to standard output, by whatever name. */
function isStandard(file: string): boolean {
  return file === standard || isDescriptor(file, 1);
}

/** Who reads may stop reading: then nothing is left to say. */
async function unlessLeft(writing: Promise<void>): Promise<void> {
  await writing.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** @throws UsageError */
function chosen(list: string, targets: readonly Target[]): readonly Target[] {
  const find = finderOf(targets);
  return list.split(",").map((name) => {
    const target = find(name);
    const names = targets.map((each) => each.name);
    if (target !== undefined) return target;
    throw new UsageError(
      `--fields: there is no field "${name.trim()}"${suggestName(name, names)}. There are: ${names.join(", ")}.`,
    );
  });
}
