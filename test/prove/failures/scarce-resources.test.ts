import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { serving, servingUnder } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { figures, size } from "../size.ts";
import { tenantWithKeys, writeTenantFile } from "./many-keys.ts";
import { hasCommand } from "./small-disk.ts";
import { Ledger } from "./task-ledger.ts";

const harness = "scarce-resources";
const timeout = size(120_000, 1_200_000);
const manyKeys = tenantWithKeys(60);

/** Runs a command in a mount namespace in which only `folder` is writable, as in a container with a read-only root. */
function onlyWritable(folder: string): string[] {
  const script = `mount --bind "$0" "$0" && cut -d" " -f5 /proc/self/mountinfo | while read -r point; do
      [ "$point" = "$0" ] || mount -o remount,bind,ro "$point" 2>/dev/null
    done
    cd . && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, folder];
}

/** Returns whether such a namespace can be created. Skips the test with the reason otherwise. */
function hasNamespaces(t: TestContext, folder: string): boolean {
  const [command = "", ...args] = onlyWritable(folder);
  const probe = ["sh", "-c", "! touch /tmp/x /var/tmp/x ./x 2>/dev/null && touch $0/x", folder];
  const { status, stderr, error } = spawnSync(command, [...args, ...probe]);
  if (status === 0) return true;
  t.skip(`no mount namespace can be created here: ${error?.message ?? stderr.toString().trim()}`);
  return false;
}

test("PATCH returns 200 under load if no temporary folder is writable", { timeout }, async (t) => {
  const folder = temporaryFolder(t);
  if (!hasNamespaces(t, folder)) return;
  const fixtures = writeTenantFile(join(folder, "crowd.json"), manyKeys);
  const { greeting } = await servingUnder(
    t,
    onlyWritable(folder),
    "--data",
    join(folder, "data"),
    "--fixtures",
    fixtures,
  );
  let turn = 0;
  const send = async (method: string, path: string, title: string) => {
    const headers = {
      "x-api-key": manyKeys.keys[turn++ % manyKeys.keys.length] ?? "",
      "content-type": "application/json",
    };
    // SQLite holds the first 64 KiB of a statement journal in memory, so the updates of a transaction must exceed that.
    const body = JSON.stringify({ title, description: "x".repeat(9_000) });
    const response = await fetch(greeting.baseUrl + path, { method, headers, body });
    return { status: response.status, body: (await response.json()) as { data: { id: string } } };
  };
  const tasks = await Promise.all(Array.from({ length: 40 }, (_, index) => send("POST", "/tasks", `Task ${index}`)));
  const statuses = new Map<number, number>();
  for (let round = 0; round < size(5, 100); round++) {
    const patches = tasks.map(({ body }, index) => send("PATCH", `/tasks/${body.data.id}`, `Task ${index}, ${round}`));
    for (const { status } of await Promise.all(patches)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const ready = await fetch(`${greeting.url}/readyz`);
  assert.deepEqual([[...statuses.keys()], ready.status], [[200], 200]);
  figures(t, harness, { updates: statuses.get(200) ?? 0 });
});

// Without a free descriptor, even the commit worker can't start. With 5, it fails later in its start.
for (const left of [0, 5]) {
  test(`with ${left} free file descriptors nothing is lost, and connections succeed again when more are free`, {
    timeout,
  }, async (t) => {
    if (!hasCommand(t, "prlimit", "--version")) return;
    const folder = temporaryFolder(t);
    const fixtures = writeTenantFile(join(folder, "crowd.json"), manyKeys);
    const program = await serving(t, "--data", join(folder, "data"), "--fixtures", fixtures);
    const { pid, url, baseUrl } = program.greeting;
    const ledger = new Ledger(baseUrl, manyKeys.keys);
    const createConcurrently = (count: number) => Promise.all(Array.from({ length: count }, () => ledger.make(9_000)));
    await createConcurrently(4);
    const limitTo = (most: string): void =>
      assert.equal(spawnSync("prlimit", ["--pid", `${pid}`, `--nofile=${most}:`]).status, 0);
    const before = /Max open files\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1] ?? "";
    limitTo(`${fs.readdirSync(`/proc/${pid}/fd`).length + left}`);
    for (let round = 0; round < size(40, 400); round++) await createConcurrently(4);
    // A connection that can't be accepted is closed before its request is read: the client sees no response.
    await createConcurrently(40);
    const cut = ledger.statuses.get(0) ?? 0;
    // It is ready: requests on open connections succeed.
    assert.deepEqual([[...ledger.statuses.keys()].sort(), await readiness(url)], [[0, 201], 200]);
    limitTo(before);
    assert.equal(await ledger.retry(), cut);
    await ledger.assertAllCreated();
    assert.equal(program.child.exitCode, null);
    figures(t, harness, { tasks: ledger.size, "connections that were cut": cut });
  });
}

/** Returns the status of /readyz. Retries if the connection can't be accepted. */
async function readiness(url: string): Promise<number> {
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== undefined) return status;
  }
}
