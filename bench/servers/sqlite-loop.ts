import Database from "better-sqlite3";

/** The SQL of a page and of a record through bare better-sqlite3, in a loop: microseconds each, as JSON. */
const [, , file = "", given = "[]"] = process.argv;
const tenants = JSON.parse(given) as readonly { readonly id: string; readonly account: string; readonly at: number }[];
const database = new Database(file, { readonly: true });
const page = database
  .prepare(
    `SELECT id, updated_at, json FROM tasks WHERE tenant_id = likely(?) AND archived = 0 AND (updated_at, id) > (?, '')
      ORDER BY updated_at, id LIMIT likely(51)`,
  )
  .raw();
const record = database.prepare("SELECT json FROM accounts WHERE tenant_id = ? AND id = ?").raw();

function microseconds(work: (index: number) => void): number {
  const count = 3_000;
  for (let index = 0; index < count; index++) work(index);
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) work(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const of = (index: number) => tenants[index % tenants.length] as (typeof tenants)[number];
const figures = {
  page: microseconds((index) => page.all(of(index).id, of(index).at)),
  record: microseconds((index) => record.get(of(index).id, of(index).account)),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
