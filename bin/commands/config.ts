import { command } from "../command.ts";
import { flag, variableOf } from "../setting.ts";
import { serveSettings } from "./serve.ts";

export const configCommand = command({
  name: "config",
  summary: "Show the settings that serve would have, and where each was said; secrets are masked",
  settings: { ...serveSettings, json: flag("as JSON") },
  examples: ["crm-integrations config", "CRM_LISTEN=0.0.0.0:80 crm-integrations config --json"],
  async run({ json }, _operands, origins) {
    const rows = Object.keys(serveSettings).map((name) => {
      const { value, origin } = origins[name] ?? { value: undefined, origin: "default" };
      const secret = serveSettings[name as keyof typeof serveSettings].secret === true;
      return { name, variable: variableOf(name), value: secret && value !== undefined ? "****" : value, origin };
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

function textOf(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "-";
  return String(value);
}
