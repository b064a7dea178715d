import { command } from "../cli/command.ts";
import { booleanSetting, variableOf } from "../cli/setting.ts";
import { defaultData } from "../database/data-folder.ts";
import { defaultBackupDir } from "../server/backup-schedule.ts";
import { isInMemory, type ServeValues, serveSettings } from "../server/serve-settings.ts";

export const configCommand = command({
  name: "config",
  summary: "Show the effective settings of serve and their sources; secrets are masked",
  settings: { ...serveSettings, json: booleanSetting("print JSON") },
  examples: ["crm-integrations config", "CRM_LISTEN=0.0.0.0:80 crm-integrations config --json"],
  async run({ json, ...values }, _operands, { stdout }, origins) {
    const folders = defaultFolders(values);
    const rows = Object.keys(serveSettings).map((name) => {
      const { value, origin } = origins[name] ?? { value: undefined, origin: "default" };
      const secret = serveSettings[name as keyof typeof serveSettings].secret === true;
      const text = secret && value !== undefined ? "****" : (value ?? folders[name]);
      return { name, variable: variableOf(name), value: text, origin };
    });
    if (json) {
      const entries = rows.map(({ name, value, origin }) => [name, { value: value ?? null, origin }]);
      stdout.write(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
      return;
    }
    const width = (key: "name" | "variable"): number => Math.max(...rows.map((row) => row[key].length));
    const lines = rows.map(
      ({ name, variable, value, origin }) =>
        `${name.padEnd(width("name"))}  ${variable.padEnd(width("variable"))}  ${formatValue(value)}  (${origin})`,
    );
    stdout.write(`${lines.join("\n")}\n`);
  },
});

/** Returns the default folders of serve, or none if the database isn't in a folder. */
function defaultFolders(values: Omit<ServeValues, "json">): Readonly<Record<string, string>> {
  if (values.database !== undefined || isInMemory(values)) return {};
  const data = values.data ?? defaultData;
  return { data, backupDir: values.backupDir ?? defaultBackupDir(data) };
}

function formatValue(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "-";
  return String(value);
}
