import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { streamTenantFile } from "#lib/tenant-file";
import { command } from "../cli/command.ts";
import { formatBytes } from "../cli/format.ts";
import { writePrivately } from "../cli/private-file.ts";
import { stringSetting } from "../cli/setting.ts";
import { Failure } from "../cli/usage.ts";
import { openSnapshot } from "../database/database.ts";
import { tenantIdOf, tenantSettings } from "../tenants/tenant.ts";

export const dumpCommand = command({
  name: "dump",
  summary: "Print a tenant whole as a tenant file",
  details:
    "It is of one moment, however much is written meanwhile. API keys go as hashes, and stay good where it is loaded.",
  settings: { ...tenantSettings, out: stringSetting("FILE", "write it there in place of stdout, for its owner only") },
  examples: [
    "crm-integrations dump --tenant Acme --out acme.json",
    "crm-integrations dump --tenant Acme | crm-integrations load - --data other-folder",
  ],
  async run({ tenant, out, ...place }) {
    const storage = await openSnapshot(place);
    try {
      const tenantId = await tenantIdOf(storage, tenant);
      const pieces = await streamTenantFile(storage, tenantId);
      if (pieces === undefined) throw new Failure(`There is no tenant ${tenantId}.`);
      if (out === undefined) await print(pieces);
      else process.stdout.write(`Wrote ${out} (${formatBytes(await writePrivately(out, pieces))}).\n`);
    } finally {
      await storage.close();
    }
  },
});

async function print(pieces: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { end: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`The tenant could not be written whole: ${code}. What was written is not a tenant file.`);
  }
}
