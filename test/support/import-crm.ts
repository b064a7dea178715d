import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyRecord, systemClock, uuidV7 } from "../../lib/index.ts";
import type { Entity } from "../../lib/model/entities.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { crmIntegrations, type Ended } from "./run-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";
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

type Imported = Entity;
export type Stored = AnyRecord & Readonly<Record<string, unknown>>;

const entities = ["account", "contact", "opportunity"];
const lists = { segment: ["SMB", "Mid-Market", "Größe"], lines: ["Filter", "Espresso", "Beans; whole"] };

/** The custom fields of each entity: one of each type. */
const customFields = entities.flatMap((entity) => [
  { entity, key: "note", label: "Note", type: "text", maxLength: 40 },
  { entity, key: "size", label: "Size", type: "number" },
  { entity, key: "budget", label: "Budget", type: "currency" },
  { entity, key: "since", label: "Since", type: "date" },
  { entity, key: "segment", label: "Segment", type: "list", options: lists.segment },
  { entity, key: "lines", label: "Lines", type: "multi_list", options: lists.lines },
]);

/** Creates a data folder for imports, whose tenants have custom fields. */
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
  const storageArgs = (tenant: Tenant): string[] => ["--data", data, "--tenant", tenant.id];
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
      crmIntegrations(name, ...args, ...storageArgs(tenant)),
    /** The options that select the first tenant. */
    storageArgs: storageArgs(first),
    /** Runs `import --json`. Returns its summary and the run itself. */
    async import(file: string, entity: Imported, ...more: readonly string[]): Promise<Summary & { program: Ended }> {
      const program = await crmIntegrations(
        "import",
        file,
        "--entity",
        entity,
        "--json",
        ...storageArgs(first),
        ...more,
      );
      if (program.stdout === "") throw new Error(`import printed nothing: ${program.stderr}`);
      return { ...(JSON.parse(program.stdout) as Summary), program };
    },
    /** Returns the active records of a kind, without those of the tenant file. */
    async records(kind: Imported, tenant = first): Promise<readonly Stored[]> {
      const storage = opened();
      const own = Object.values(tenant) as string[];
      const all = await storage.list(tenant.id, kind, {});
      await storage.close();
      return all.filter(({ id }) => !own.includes(id)) as unknown as Stored[];
    },
  };
}

/** Returns the numbers of created, updated, unchanged and rejected rows. */
export function counts({ created, updated, unchanged, rejected }: Summary): readonly number[] {
  return [created, updated, unchanged, rejected];
}
