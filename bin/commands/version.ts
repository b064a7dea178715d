import { command } from "../cli/command.ts";
import { readLicenses } from "../cli/licenses.ts";
import { booleanSetting } from "../cli/setting.ts";
import { version } from "../cli/version.ts";

export const versionCommand = command({
  name: "version",
  summary: "Print the version of the program and of Node",
  settings: {
    json: booleanSetting("print JSON"),
    licenses: booleanSetting("print the licenses of all bundled software"),
  },
  examples: ["crm-integrations version", "crm-integrations version --licenses"],
  async run({ json, licenses }, _operands, { stdout }) {
    if (licenses) {
      stdout.write(readLicenses());
      return;
    }
    const { node } = process.versions;
    const platform = `${process.platform}-${process.arch}`;
    const text = json
      ? JSON.stringify({ version, node, platform })
      : `crm-integrations ${version} (Node ${node}, ${platform})`;
    stdout.write(`${text}\n`);
  },
});
