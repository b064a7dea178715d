import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { type AnyRecord, systemClock, uuidV7 } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { type Ended, programCommand, startCommand } from "./program.ts";
import { temporaryFolder } from "./serve-demo.ts";
import { type Tenant, tenantFile, testTenant } from "./tenants.ts";

export type Summary = {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly rows: number;
  readonly finished: boolean;
  readonly rejectedFile: string | null;
};

type Imported = "account" | "contact" | "opportunity" | "task";
export type Stored = AnyRecord & Readonly<Record<string, unknown>>;

const entities = ["account", "contact", "opportunity"];
const lists = { segment: ["SMB", "Mid-Market", "Größe"], lines: ["Filter", "Espresso", "Beans; whole"] };

/** The catalogue of each entity: a field of each type. */
const customFields = entities.flatMap((entity) => [
  { entity, key: "note", label: "Note", type: "text", maxLength: 40 },
  { entity, key: "size", label: "Size", type: "number" },
  { entity, key: "budget", label: "Budget", type: "currency" },
  { entity, key: "since", label: "Since", type: "date" },
  { entity, key: "segment", label: "Segment", type: "list", options: lists.segment },
  { entity, key: "lines", label: "Lines", type: "multi_list", options: lists.lines },
]);

/** What runs when the tests of a file are over. */
const ending = { after: (hook: unknown): void => after(hook as () => void) };

/** Runs the program to its end, however long a machine that has much to do takes for it. */
function crmIntegrations(...args: readonly string[]): Promise<Ended> {
  return startCommand(ending, [...programCommand, ...args]).ended;
}

/** A data folder whose tenants have a catalogue, for files to be imported into by the program. */
export async function importCrm(...tenants: readonly Tenant[]) {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const path = (name: string): string => join(folder, name);
  const opened = () => sqliteStorage({ file: join(data, "crm.db") });
  const first = tenants[0] ?? testTenant(1);
  const storage = opened();
  for (const tenant of [first, ...tenants.slice(1)]) {
    const content = { ...tenantFile(tenant), customFields };
    await loadTenantFile(storage, content, { clock: systemClock, newId: () => uuidV7(Date.now()) });
  }
  await storage.close();
  const place = (tenant: Tenant): string[] => ["--data", data, "--tenant", tenant.id];
  return {
    data,
    path,
    tenant: first,
    write(name: string, content: string | Uint8Array): string {
      writeFileSync(path(name), content);
      return path(name);
    },
    read: (name: string): string => readFileSync(path(name), "utf8"),
    has: (name: string): boolean => existsSync(path(name)),
    /** Runs `import` or `export` for the first tenant, or another. */
    run: (name: "import" | "export", args: readonly string[], tenant = first): Promise<Ended> =>
      crmIntegrations(name, ...args, ...place(tenant)),
    /** What it is called with, for who starts it himself. */
    place: place(first),
    /** Imports with `--json`; the summary is the only thing on stdout. */
    async import(file: string, entity: Imported, ...more: readonly string[]): Promise<Summary & { said: Ended }> {
      const said = await crmIntegrations("import", file, "--entity", entity, "--json", ...place(first), ...more);
      if (said.stdout === "") throw new Error(`import said nothing: ${said.stderr}`);
      return { ...(JSON.parse(said.stdout) as Summary), said };
    },
    /** The records of a kind that are not archived, but for those that the tenant began with. */
    async records(kind: Imported, tenant = first): Promise<readonly Stored[]> {
      const storage = opened();
      const own = Object.values(tenant) as string[];
      const all = await storage.list(tenant.id, kind, {});
      await storage.close();
      return all.filter(({ id }) => !own.includes(id)) as unknown as Stored[];
    },
  };
}

/** `created` and its like, for comparing whole. */
export function counts({ created, updated, unchanged, rejected }: Summary): readonly number[] {
  return [created, updated, unchanged, rejected];
}
