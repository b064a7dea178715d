import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { streamTenantFile } from "#lib/tenant-file";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import { formatBytes } from "../cli/format.ts";
import { writePrivateFile } from "../cli/private-file.ts";
import { stringSetting } from "../cli/setting.ts";
import { openSnapshot } from "../database/database.ts";
import { findTenant, tenantSettings } from "../tenants/tenant.ts";

export const dumpCommand = command({
  name: "dump",
  summary: "Export a tenant as a tenant file (JSON)",
  details: "The export is a consistent snapshot. API keys are exported as hashes and keep working after a load.",
  settings: { ...tenantSettings, out: stringSetting("FILE", "write to a file with mode 0600 instead of stdout") },
  examples: [
    "crm-integrations dump --tenant Acme --out acme.json",
    "crm-integrations dump --tenant Acme | crm-integrations load - --data other-folder",
  ],
  async run({ tenant, out, ...database }, _operands, program) {
    const storage = await openSnapshot(database);
    try {
      const { id: tenantId } = await findTenant(storage, tenant);
      const chunks = await streamTenantFile(storage, tenantId);
      if (chunks === undefined) throw new Failure(`The tenant ${tenantId} no longer exists.`);
      if (out === undefined) await print(program.stdout, chunks);
      else program.stdout.write(`Wrote ${out} (${formatBytes(await writePrivateFile(program, out, chunks))}).\n`);
    } finally {
      await storage.close();
    }
  },
});

async function print(stdout: Writable, chunks: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), stdout, { end: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`Cannot write to stdout: ${code}. The output is incomplete.`);
  }
}
