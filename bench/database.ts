import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { makeApiKey, scopes, systemClock, uuidV7 } from "../lib/index.ts";
import { postgresStorage } from "../lib/storage/postgres/index.ts";
import { rowToJson, tables } from "../lib/storage/sql/table.ts";
import { sqliteStorage } from "../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../lib/tenant-file/index.ts";

/** The size of a benchmark database. Everything but the API keys is the same in every run. */
export type Size = { readonly tenants: number; readonly tasks: number };

/** A database in its own folder, with the credentials to call its API. */
export type Crm = {
  readonly folder: string;
  readonly file: string;
  readonly tenants: readonly BenchTenant[];
  readonly size: Size;
};

export type BenchTenant = {
  readonly id: string;
  readonly key: string;
  readonly users: readonly string[];
  readonly accounts: readonly string[];
  readonly tasks: number;
};

const usersPerTenant = 10;
const accountsPerTenant = 200;
/** The creation time of the oldest record. Each later record is one second newer. */
export const epoch = Date.parse("2025-01-06T08:00:00.000Z");
const stepMs = 1_000;
const secondsPerTask = 1;

/** Creates the database. Loads tenants from a tenant file, and inserts the tasks directly because there are many. */
export async function makeCrm(size: Size): Promise<Crm> {
  const folder = mkdtempSync(join(tmpdir(), "crm-bench-"));
  const file = join(folder, "crm.db");
  const storage = sqliteStorage({ file });
  const tenants: BenchTenant[] = [];
  for (let number = 0; number < size.tenants; number++) {
    const key = makeApiKey("test", (length) => crypto.getRandomValues(new Uint8Array(length)));
    const content = tenantFile(number, key);
    await loadTenantFile(storage, content, { clock: systemClock, newId: () => uuidV7(Date.now()) });
    tenants.push({
      id: idOf(number, 0, 0),
      key,
      users: content.users.map(({ id }) => id),
      accounts: content.accounts.map(({ id }) => id),
      tasks: Math.floor(size.tasks / size.tenants),
    });
  }
  await storage.close();
  insertTasks(file, tenants);
  return { folder, file, tenants, size };
}

/** Copies the first tenants of this database to PostgreSQL with all their records. Returns only those. */
export async function fillPostgres(url: string, crm: Crm, count: number): Promise<Crm> {
  const tenants = crm.tenants.slice(0, count);
  const pool = new pg.Pool({ connectionString: url });
  const storage = await postgresStorage(pool);
  for (const [number, tenant] of tenants.entries()) {
    const content = tenantFile(number, tenant.key);
    await loadTenantFile(storage, content, { clock: systemClock, newId: () => uuidV7(Date.now()) });
    await insertTasksInPostgres(pool, number, tenant);
  }
  // Without statistics about earlier requests, PostgreSQL would scan their table until autovacuum has seen new ones.
  await pool.query(
    `INSERT INTO idempotency_records (tenant_id, id, fingerprint, path, status, created_at, updated_at)
      SELECT tenant_id, gen_random_uuid()::text, '', '/tasks', 201, $1, $1 FROM tenants, generate_series(1, 200)`,
    [Date.now()],
  );
  await pool.query("VACUUM ANALYZE");
  await storage.close();
  const tasks = tenants.reduce((sum, tenant) => sum + tenant.tasks, 0);
  return { ...crm, tenants, size: { tenants: count, tasks } };
}

/** Returns the ID of the record with this kind and number in this tenant. */
export function idOf(tenant: number, kind: number, index: number): string {
  const hex = (value: number, length: number): string => value.toString(16).padStart(length, "0");
  return `0194${hex(tenant, 4)}-0000-7${hex(kind, 3)}-8000-${hex(index, 12)}`;
}

export const taskKind = 3;

/** Twelve custom fields: four of type text, two of every other type. */
const customFields = [
  ...["legalName", "taxNumber", "region", "note"].map((key) => ({ key, type: "text" as const })),
  ...["employees", "score"].map((key) => ({ key, type: "number" as const })),
  ...["revenue", "creditLine"].map((key) => ({ key, type: "currency" as const })),
  ...["customerSince", "renewal"].map((key) => ({ key, type: "date" as const })),
  { key: "segment", type: "list" as const, options: ["SMB", "Mid-Market", "Enterprise"] },
  { key: "topics", type: "multi_list" as const, options: ["Espresso", "Filter", "Service", "Spare parts"] },
];

/** Returns a value for each custom field. */
export function customValues(number: number): Readonly<Record<string, unknown>> {
  return {
    legalName: `Company ${number} Trading and Logistics GmbH`,
    taxNumber: `DE${String(100_000_000 + number)}`,
    region: "Nordrhein-Westfalen",
    note: "Prefers to be called in the morning; invoices go to the head office.",
    employees: number % 5_000,
    score: (number % 100) + 0.5,
    revenue: 1_250_000 + number,
    creditLine: { amount: 50_000, currency: "EUR" },
    customerSince: "2019-04-01",
    renewal: "2027-03-31",
    segment: "Mid-Market",
    topics: ["Espresso", "Service"],
  };
}

function tenantFile(number: number, key: string) {
  const times = { createdAt: new Date(epoch).toISOString(), updatedAt: new Date(epoch).toISOString() };
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  return {
    tenant: { id: idOf(number, 0, 0), name: `Tenant ${number}`, ...times },
    users: many(usersPerTenant, (index) => ({
      id: idOf(number, 1, index),
      name: `User ${index}`,
      email: `user${index}@tenant${number}.example`,
      role: index === 0 ? "admin" : "member",
      ...times,
    })),
    pipelines: [{ name: "Sales", isDefault: true, stages: [{ name: "New", order: 1 }] }],
    customFields: customFields.map((field, position) => ({
      entity: "account",
      label: field.key,
      required: false,
      position,
      ...field,
    })),
    rules: [{ entity: "account", field: "phone" }],
    integrations: [{ id: idOf(number, 4, 0), name: "Bench", scopes: [...scopes], keys: [{ key }] }],
    accounts: many(accountsPerTenant, (index) => ({
      id: idOf(number, 2, index),
      name: `Company ${index}`,
      document: String(index),
      website: `https://company${index}.example`,
      phone: "+49 30 1234567",
      email: `office@company${index}.example`,
      address: { street: "Hauptstraße 1", city: "Köln", state: "NRW", postalCode: "50667", country: "DE" },
      ownerId: idOf(number, 1, 0),
      externalId: `ERP-${index}`,
      customFields: customValues(index),
      ...times,
    })),
  };
}

/** Creates the indexes after all rows, which takes a tenth of the time. */
function insertTasks(file: string, tenants: readonly BenchTenant[]): void {
  const database = new Database(file);
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -400000");
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'tasks' AND sql LIKE 'CREATE INDEX%'",
    )
    .all();
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  const names = [...taskColumns, "json"];
  const insert = database.prepare(
    `INSERT INTO tasks (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  database.transaction(() => {
    for (const [number, tenant] of tenants.entries()) {
      for (let index = 0; index < tenant.tasks; index++) {
        const row = taskRow(tenant, number, index);
        insert.run(...row, rowToJson(tables.task, [...row.slice(1), null]));
      }
      const last = epoch + tenant.tasks * secondsPerTask * stepMs;
      database.prepare("UPDATE tenant_clocks SET last_at = ? WHERE tenant_id = ?").run(last, tenant.id);
    }
  })();
  for (const { sql } of indexes) database.exec(sql);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Disables the triggers of the foreign keys, which halves the time. */
async function insertTasksInPostgres(pool: pg.Pool, number: number, tenant: BenchTenant): Promise<void> {
  const rows = Array.from({ length: tenant.tasks }, (_, index) => taskRow(tenant, number, index));
  const names = [...taskColumns, "json"];
  const withJson = rows.map((row) => [...row, rowToJson(tables.task, [...row.slice(1), null])]);
  const columns = names.map((_, column) => withJson.map((row) => row[column]));
  const types = names.map((name, column) => `$${column + 1}::${/_at$|_date$/.test(name) ? "bigint" : "text"}[]`);
  const client = await pool.connect();
  await client.query("BEGIN; SET LOCAL session_replication_role = replica");
  const sql = `INSERT INTO tasks (${names.join(", ")}) SELECT * FROM unnest(${types.join(", ")})`;
  await client.query(sql, columns);
  const last = epoch + tenant.tasks * secondsPerTask * stepMs;
  await client.query("UPDATE tenant_clocks SET last_at = $1 WHERE tenant_id = $2", [last, tenant.id]);
  await client.query("COMMIT");
  client.release();
}

const taskColumns = [
  ...["tenant_id", "id", "title", "description", "priority", "status", "due_date", "related_to_type", "related_to_id"],
  ...["assigned_to", "closed_at", "created_at", "updated_at"],
];
const statuses = ["pending", "pending", "completed", "pending", "canceled"];
const priorities = ["medium", "low", "medium", "high"];
const titles = ["Call back about the offer", "Send the contract", "Prepare the visit", "Ask for the invoice address"];

/** A prime that divides no number of tasks of a tenant. */
const timeStride = 7_919;

/**
 * The times of the tasks are mixed: a page has rows from all over the table, because old tasks change as often as new
 * ones.
 */
function taskRow(tenant: BenchTenant, number: number, index: number): unknown[] {
  const place = (index * timeStride) % tenant.tasks;
  const at = epoch + (place + 1) * secondsPerTask * stepMs;
  const status = statuses[index % statuses.length];
  const account = tenant.accounts[(index * 7) % tenant.accounts.length];
  const isRelated = index % 2 === 0;
  return [
    tenant.id,
    idOf(number, taskKind, index),
    `${titles[index % titles.length]} ${index}`,
    index % 2 === 0 ? null : "The customer called about it and expects a reply this week.",
    priorities[index % priorities.length],
    status,
    index % 3 === 0 ? at + 86_400_000 : null,
    isRelated ? "account" : null,
    isRelated ? account : null,
    index % 4 === 0 ? null : tenant.users[(index * 3) % tenant.users.length],
    status === "pending" ? null : at,
    at,
    at,
  ];
}
