import { once } from "node:events";
import { command } from "../cli/command.ts";
import { integerSetting } from "../cli/setting.ts";
import { generatedTenant } from "../tenants/generated-tenant.ts";

export const generateCommand = command({
  name: "generate",
  summary: "Print a made-up tenant as a tenant file, of any size; the same seed gives the same tenant",
  settings: {
    accounts: integerSetting(
      "N",
      "accounts; twice as many contacts, as many opportunities, three times as many tasks",
      {
        min: 1,
        max: 10_000_000,
        preset: 100,
      },
    ),
    seed: integerSetting("N", "another seed, another tenant", { min: 0, max: 4_294_967_295, preset: 1 }),
  },
  examples: [
    "crm-integrations generate --accounts 10000 --seed 7 > big.json",
    "crm-integrations serve --fixtures big.json",
  ],
  async run(size) {
    let text = "";
    for (const piece of generatedTenant(size)) {
      text += piece;
      if (text.length < 65_536) continue;
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
      text = "";
    }
    process.stdout.write(text);
  },
});
