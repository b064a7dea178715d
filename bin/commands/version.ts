import { command } from "../command.ts";
import { flag } from "../setting.ts";
import { version } from "../version.ts";

export const versionCommand = command({
  name: "version",
  summary: "Print the version, of this and of the Node inside",
  settings: { json: flag("as JSON") },
  examples: ["crm-integrations version"],
  async run({ json }) {
    const { node } = process.versions;
    const place = `${process.platform}-${process.arch}`;
    const text = json
      ? JSON.stringify({ version, node, place })
      : `crm-integrations ${version} (Node ${node}, ${place})`;
    process.stdout.write(`${text}\n`);
  },
});
