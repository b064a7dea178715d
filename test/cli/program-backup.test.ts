import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { latestVersion, migrations } from "../../lib/storage/sqlite/schema.ts";
import { describedFetch } from "../support/described.ts";
import { type Greeting, serving, tenantFolder } from "../support/program.ts";
import type { ShownTask } from "../support/responses.ts";
import { crmIntegrations, serveInProcess } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const now = latestVersion(migrations);

const one = testTenant(1);
const { path, file } = tenantFolder(one);
const headers = { "x-api-key": one.key, "content-type": "application/json" };

type Page = { readonly data: readonly ShownTask[]; readonly nextCursor: string | null };

async function page({ baseUrl }: Greeting, query: string): Promise<Page> {
  const response = await describedFetch(`${baseUrl}/tasks?${query}`, { headers });
  assert.equal(response.status, 200);
  return (await response.json()) as Page;
}

async function titles(greeting: Greeting): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next: Page = await page(greeting, `limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
    found.push(...next.data.map(({ title }) => title));
    cursor = next.nextCursor;
  }
  return found.filter((title) => title !== "Call Carla");
}

async function create({ baseUrl }: Greeting, title: string): Promise<void> {
  const made = await describedFetch(`${baseUrl}/tasks`, { method: "POST", headers, body: JSON.stringify({ title }) });
  assert.equal(made.status, 201);
}

suite("backup and restore", { concurrency: 2 }, () => {
  test("backups during writes have every task that was created before, without a gap", async (t) => {
    const data = path("written");
    const { child, greeting, ended } = await serving(t, "--data", data, "--fixtures", file, "--rate-limit", "99999");
    let isDone = false;
    const acknowledged: string[] = [];
    const writer = async (): Promise<void> => {
      while (!isDone) {
        const title = `Task ${acknowledged.length + 1}`;
        await create(greeting, title);
        acknowledged.push(title);
      }
    };
    const writing = writer();
    const countsBefore: number[] = [];
    for (const name of ["1.db", "2.db"]) {
      countsBefore.push(acknowledged.length);
      const { code, stdout, stderr } = await crmIntegrations("backup", path(name), "--data", data);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^Backed up .+crm\.db to .+\d\.db \(\d+\.\d kB\)\. The copy is intact\.\n$/);
    }
    isDone = true;
    await writing;
    const all = await titles(greeting);
    assert.deepEqual(all, acknowledged);
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    for (const [index, name] of ["1.db", "2.db"].entries()) {
      assert.equal(fs.statSync(path(name)).mode & 0o777, 0o600);
      const restored = path(`restored-${name}`);
      assert.equal((await crmIntegrations("restore", path(name), "--data", restored)).code, 0);
      const again = await serveInProcess(t, "--data", restored);
      const remaining = await titles(again.greeting);
      assert.ok(remaining.length >= (countsBefore[index] ?? 0), `${remaining.length} of ${countsBefore[index]}`);
      assert.deepEqual(remaining, acknowledged.slice(0, remaining.length));
      await again.stop();
    }
  });

  test("restore is rejected while a server runs; afterwards cursors are invalid and a sync continues", async (t) => {
    const data = path("served");
    const first = await serving(t, "--data", data, "--fixtures", file);
    await create(first.greeting, "Saved");
    const backup = path("served.db");
    assert.equal((await crmIntegrations("backup", backup, "--data", data)).code, 0);
    await create(first.greeting, "Lost");
    const { nextCursor } = await page(first.greeting, "limit=1");
    const rejected = await crmIntegrations("restore", backup, "--data", data);
    const says = `crm-integrations: ${join(data, "crm.db")} is in use. Stop the server first. Nothing was changed.\n`;
    assert.deepEqual(rejected, { code: 1, stdout: "", stderr: says });
    assert.deepEqual(await titles(first.greeting), ["Saved", "Lost"]);
    first.child.kill("SIGTERM");
    await first.ended;

    const { code, stdout } = await crmIntegrations("restore", backup, "--data", data, "--json");
    const { previousFile, ...restored } = JSON.parse(stdout);
    assert.deepEqual([code, restored], [0, { database: join(data, "crm.db"), backup, schema: { from: now, to: now } }]);
    assert.ok(fs.existsSync(previousFile));
    const second = await serveInProcess(t, "--data", data);
    assert.deepEqual(await titles(second.greeting), ["Saved"]);
    const old = await describedFetch(`${second.greeting.baseUrl}/tasks?cursor=${nextCursor}`, { headers });
    const { error } = (await old.json()) as { error: { code: string } };
    assert.deepEqual([old.status, error.code], [400, "invalid_cursor"]);
    await second.stop();
  });

  const rejections: readonly (readonly [what: string, args: readonly string[], code: number, says: RegExp])[] = [
    ["a backup of no database", ["backup", path("x.db"), "--data", path("none")], 1, /No database at .+crm\.db\./],
    [
      "a backup over a file",
      ["backup", file, "--data", path("small")],
      1,
      /tenant\.json already exists\. Choose another file/,
    ],
    ["a backup to nowhere", ["backup", "--data", path("small")], 2, /Missing required argument 'TARGET'/],
    [
      "a restore of no backup",
      ["restore", path("none.db"), "--data", path("small")],
      1,
      /There is no backup .+none\.db\./,
    ],
    [
      "a restore of something else",
      ["restore", file, "--data", path("small")],
      1,
      /was rejected: .+ is not a SQLite database/,
    ],
  ];
  test("backup and restore report a failure in one line and change nothing", async () => {
    assert.equal((await crmIntegrations("load", file, "--data", path("small"))).code, 0);
    const before = [fs.readFileSync(path("small/crm.db")), fs.readFileSync(file)];
    for (const [what, args, code, says] of rejections) {
      const ended = await crmIntegrations(...args);
      assert.deepEqual([ended.code, ended.stdout], [code, ""], what);
      assert.match(ended.stderr, says);
    }
    assert.deepEqual([fs.readdirSync(path("small")), fs.existsSync(path("x.db"))], [["crm.db"], false]);
    assert.deepEqual([fs.readFileSync(path("small/crm.db")), fs.readFileSync(file)], before);
  });

  test("a backup into a folder has the time in its name, and --json prints its path", async () => {
    assert.equal((await crmIntegrations("load", file, "--data", path("named"))).code, 0);
    const { stdout } = await crmIntegrations("backup", `${path("backups")}/`, "--data", path("named"), "--json");
    const [name = ""] = fs.readdirSync(path("backups"));
    assert.match(name, /^crm-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/);
    const backup = join(path("backups"), name);
    const bytes = fs.statSync(backup).size;
    assert.deepEqual(JSON.parse(stdout), { database: path("named/crm.db"), backup, bytes });
    assert.equal(fs.statSync(path("backups")).mode & 0o777, 0o700);
  });
});
