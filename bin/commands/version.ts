import { command } from "../cli/command.ts";
import { readLicenses } from "../cli/licenses.ts";
import { booleanSetting } from "../cli/setting.ts";
import { version } from "../cli/version.ts";

export const versionCommand = command({
  name: "version",
  summary: "Print the version, of this and of the Node inside",
  settings: {
    json: booleanSetting("as JSON"),
    licenses: booleanSetting("print the licenses of everything in it instead"),
  },
  examples: ["crm-integrations version", "crm-integrations version --licenses"],
  async run({ json, licenses }) {
    if (licenses) {
      process.stdout.write(readLicenses());
      return;
    }
    const { node } = process.versions;
    const place = `${process.platform}-${process.arch}`;
    const text = json
      ? JSON.stringify({ version, node, place })
      : `crm-integrations ${version} (Node ${node}, ${place})`;
    process.stdout.write(`${text}\n`);
  },
});
