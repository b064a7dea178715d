import { command } from "../cli/command.ts";
import { booleanSetting, variableOf } from "../cli/setting.ts";
import { dataDefault } from "../database/data-folder.ts";
import { backupDirOf } from "../server/backup-schedule.ts";
import { isInMemory, type ServeValues, serveSettings } from "./serve.ts";

export const configCommand = command({
  name: "config",
  summary: "Show the settings that serve would have, and where each was said; secrets are masked",
  settings: { ...serveSettings, json: booleanSetting("as JSON") },
  examples: ["crm-integrations config", "CRM_LISTEN=0.0.0.0:80 crm-integrations config --json"],
  async run({ json, ...values }, _operands, origins) {
    const folders = foldersOf(values);
    const rows = Object.keys(serveSettings).map((name) => {
      const { value, origin } = origins[name] ?? { value: undefined, origin: "default" };
      const secret = serveSettings[name as keyof typeof serveSettings].secret === true;
      const shown = secret && value !== undefined ? "****" : (value ?? folders[name]);
      return { name, variable: variableOf(name), value: shown, origin };
    });
    if (json) {
      const shown = rows.map(({ name, value, origin }) => [name, { value: value ?? null, origin }]);
      process.stdout.write(`${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`);
      return;
    }
    const width = (key: "name" | "variable"): number => Math.max(...rows.map((row) => row[key].length));
    const lines = rows.map(
      ({ name, variable, value, origin }) =>
        `${name.padEnd(width("name"))}  ${variable.padEnd(width("variable"))}  ${textOf(value)}  (${origin})`,
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  },
});

/** The folders that serve takes where none is said; it takes none where the records are in no folder. */
function foldersOf(values: Omit<ServeValues, "json">): Readonly<Record<string, string>> {
  if (values.database !== undefined || isInMemory(values)) return {};
  const data = values.data ?? dataDefault;
  return { data, backupDir: values.backupDir ?? backupDirOf(data) };
}

function textOf(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "-";
  return String(value);
}
