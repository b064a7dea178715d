import { once } from "node:events";
import { command } from "../cli/command.ts";
import { integerSetting } from "../cli/setting.ts";
import { generateTenantFile } from "../tenants/generate-tenant-file.ts";

export const generateCommand = command({
  name: "generate",
  summary: "Print a tenant file with generated data; the same seed generates the same data",
  settings: {
    accounts: integerSetting("N", "number of accounts; each has about 2 contacts, 1 opportunity and 3 tasks", {
      min: 1,
      max: 10_000_000,
      preset: 100,
    }),
    seed: integerSetting("N", "seed of the random data", { min: 0, max: 4_294_967_295, preset: 1 }),
  },
  examples: [
    "crm-integrations generate --accounts 10000 --seed 7 > big.json",
    "crm-integrations serve --fixtures big.json",
  ],
  async run(size, _operands, { stdout }) {
    let text = "";
    for (const chunk of generateTenantFile(size)) {
      text += chunk;
      if (text.length < 65_536) continue;
      if (!stdout.write(text)) await once(stdout, "drain");
      text = "";
    }
    stdout.write(text);
  },
});
