import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { Binary } from "./binary.ts";

const binary = new Binary();
const [rows, badEvery] = [10_000, 100];
const title = (number: number): string => `Task ${number}`;

type Shown = { readonly id: string; readonly name: string; readonly title: string };
type Page = { readonly data: readonly Shown[]; readonly nextCursor: string | null };

/** The binary while it serves a folder, as a client with its key sees it. */
class ServerRun {
  readonly baseUrl: string;
  readonly key: string;
  readonly stop: Awaited<ReturnType<Binary["serve"]>>["stop"];

  constructor({ greeting, stop }: Awaited<ReturnType<Binary["serve"]>>, key = greeting.keys[0]?.key ?? "") {
    [this.baseUrl, this.key, this.stop] = [greeting.baseUrl, key, stop];
  }

  static async begin(t: TestContext, data: string, key?: string): Promise<ServerRun> {
    return new ServerRun(await binary.serve(t, ["--data", data, "--rate-limit", "99999", "--log-level", "error"]), key);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { "x-api-key": this.key, "content-type": "application/json", ...init.headers };
    return fetch(this.baseUrl + path, { ...init, headers });
  }

  /** Reads all accounts or tasks, page by page. */
  async all(sort: "accounts" | "tasks"): Promise<readonly Shown[]> {
    const found: Shown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const response = await this.fetch(`/${sort}?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
      assert.equal(response.status, 200, await response.clone().text());
      const page = (await response.json()) as Page;
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    return found;
  }

  /** Creates tasks in sequence and retries each on 503, until `isDone` or until the server is gone. */
  async write(stored: Set<string>, isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const name = title(stored.size);
      const [headers, body] = [{ "idempotency-key": randomUUID() }, JSON.stringify({ title: name })];
      const post = () => this.fetch("/tasks", { method: "POST", headers, body }).catch(() => undefined);
      let response = await post();
      while (response?.status === 503) response = await post();
      if (response === undefined) return;
      assert.equal(response.status, 201, await response.clone().text());
      stored.add(name);
    }
  }
}

/** Runs a command to its end without blocking other work. */
async function run(t: TestContext, ...args: string[]) {
  const { code, stdout, stderr } = await binary.start(t, args).ended;
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** Creates an account with curl. Returns `false` if curl fails or isn't installed. */
function createWithCurl({ baseUrl, key }: ServerRun): boolean {
  const headers = ["-H", `x-api-key: ${key}`, "-H", "content-type: application/json"];
  const body = ["-d", JSON.stringify({ name: "By hand" })];
  const { status, stdout } = spawnSync("curl", ["-sS", "-f", ...headers, ...body, `${baseUrl}/accounts`], {
    encoding: "utf8",
  });
  return status === 0 && JSON.parse(stdout).data.name === "By hand";
}

function csv(): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const email = index % badEvery === 0 ? "nobody" : `office@company-${index}.example`;
    return `Company ${index},${email},+49 30 ${index}`;
  });
  return `Company,email,phone\n${lines.join("\n")}\n`;
}

const titles = (tasks: readonly Shown[]) => new Set(tasks.map((task) => task.title));
const missing = (stored: ReadonlySet<string>, found: ReadonlySet<string>) =>
  [...stored].filter((each) => !found.has(each));

test("init, import, backup, crash, restart, check, restore, export and load work in sequence", {
  timeout: 580_000,
}, async (t) => {
  const stored = new Set<string>();
  const first = await ServerRun.begin(t, "crm-data");
  const { key } = first;
  assert.match(key, /^crm_live_/);
  assert.equal(statSync(binary.at("crm-data")).mode & 0o777, 0o700);
  if (!createWithCurl(first)) {
    t.diagnostic("no curl here: the first account is made without it");
    const made = await first.fetch("/accounts", { method: "POST", body: JSON.stringify({ name: "By hand" }) });
    assert.equal(made.status, 201);
  }

  writeFileSync(binary.at("accounts.csv"), csv());
  let isImported = false;
  const importing = run(t, "import", "accounts.csv", "--entity", "account", "--map", "name=Company", "--json").finally(
    () => {
      isImported = true;
    },
  );
  const writing = first.write(stored, () => isImported);
  const search = "/accounts?limit=1&name=Company%201";
  while (((await (await first.fetch(search)).json()) as Page).data.length === 0) assert.ok(!isImported);
  const backup = await run(t, "backup", "copy.db", "--json");
  assert.equal(backup.code, 0, backup.stderr);
  const wasImported = isImported;
  const imported = await importing;
  await writing;
  assert.equal(imported.code, 1, imported.stderr);
  const { created, rejected, finished } = imported.json();
  const bad = rows / badEvery;
  assert.deepEqual({ created, rejected, finished }, { created: rows - bad, rejected: bad, finished: true });
  const rejectedRows = readFileSync(binary.at("accounts.csv.rejected.csv"), "utf8").trimEnd().split("\n");
  assert.deepEqual([rejectedRows.length, rejectedRows.filter((row) => /email/.test(row)).length], [bad + 1, bad + 1]);

  const crashing = first.write(stored, () => false);
  const enough = stored.size + 20;
  while (stored.size < enough) await first.fetch("/me");
  assert.equal((await first.stop("SIGKILL")).signal, "SIGKILL");
  await crashing;

  const second = await ServerRun.begin(t, "crm-data", key);
  assert.deepEqual(missing(stored, titles(await second.all("tasks"))), []);
  const accounts = await second.all("accounts");
  assert.equal(accounts.length, rows - bad + 1);
  const check = await run(t, "check", "--full", "--json");
  assert.equal(check.code, 0, check.stdout + check.stderr);
  const { nextCursor } = (await (await second.fetch("/accounts?limit=1")).json()) as Page;
  const early = await run(t, "restore", "copy.db");
  assert.equal(early.code, 1, "a restore under a running server must be rejected");
  assert.equal((await second.stop()).code, 0);

  const restored = await run(t, "restore", "copy.db", "--json");
  assert.equal(restored.code, 0, restored.stderr);
  const third = await ServerRun.begin(t, "crm-data", key);
  const then = new Set((await third.all("accounts")).map(({ name }) => name));
  const now = new Set(accounts.map(({ name }) => name));
  assert.ok(then.has("By hand") && then.has("Company 1") && [...then].every((name) => now.has(name)));
  assert.equal((await third.fetch(`/accounts?limit=1&cursor=${nextCursor}`)).status, 400);
  assert.equal((await third.stop()).code, 0);

  const back = await run(t, "restore", restored.json().previousFile, "--json");
  assert.equal(back.code, 0, back.stderr);
  assert.equal((await run(t, "dump", "--out", "tenant.json")).code, 0);
  const loaded = await run(t, "load", "tenant.json", "--data", "other");
  assert.equal(loaded.code, 0, loaded.stderr);
  assert.equal((await run(t, "dump", "--data", "other", "--out", "again.json")).code, 0);
  const dumped = ["tenant.json", "again.json"].map((name) => readFileSync(binary.at(name), "utf8"));
  assert.ok(dumped[0] === dumped[1], "the loaded tenant differs from the dumped one");
  const other = await ServerRun.begin(t, "other", key);
  assert.deepEqual(missing(stored, titles(await other.all("tasks"))), []);
  assert.deepEqual(await other.all("accounts"), accounts);
  assert.equal((await other.stop()).code, 0);
  assert.ok(existsSync(binary.at("crm-data", "admin.secret")));
  t.diagnostic(
    `${stored.size} tasks stored, ${then.size} accounts in the backup, made ${wasImported ? "after" : "during"} the import`,
  );
});
