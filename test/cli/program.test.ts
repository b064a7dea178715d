import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { nodeOptions } from "../../bin/cli/child-process.ts";
import { scopes } from "../../lib/model/integration.ts";
import { describedFetch } from "../support/described.ts";
import {
  type Greeting,
  programCommand,
  quiet,
  serving,
  start,
  startCommand,
  tenantFolder,
} from "../support/program.ts";
import type { ShownTask } from "../support/responses.ts";
import { serveInProcess } from "../support/run-program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { path, file } = tenantFolder(one);
const headers = { "x-api-key": one.key, "content-type": "application/json" };

async function tasksAt({ baseUrl }: Greeting): Promise<readonly ShownTask[]> {
  const response = await describedFetch(`${baseUrl}/tasks?limit=200`, { headers });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: ShownTask[] }).data;
}

function create({ baseUrl }: Greeting, title: string): Promise<Response> {
  const idempotent = { ...headers, "idempotency-key": randomUUID() };
  return describedFetch(`${baseUrl}/tasks`, { method: "POST", headers: idempotent, body: JSON.stringify({ title }) });
}

suite("the program", { concurrency: 2 }, () => {
  test("serve --json prints its URL, API keys, process ID and a sign-in link in the first line", async (t) => {
    const { child, greeting, ended } = await serving(t, "--fixtures", file);
    const { signInLink, ...rest } = greeting;
    assert.match(signInLink ?? "", /^http:\/\/127\.0\.0\.1:\d+\/console\/#token=[\w-]+$/);
    const key = (integration: string, value: string, granted: readonly string[]) => {
      return { tenant: one.id, integration, key: value, scopes: granted };
    };
    assert.match(greeting.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(rest, {
      url: greeting.url,
      baseUrl: `${greeting.url}/integrations/v1`,
      keys: [
        key("ERP", one.key, scopes),
        key("ERP", one.secondKey, scopes),
        key("Reader", one.readKey, ["tasks:read"]),
        key("Bare", one.bareKey, []),
        key("Bare", one.expiredKey, []),
      ],
      pid: child.pid,
    });
    assert.deepEqual(
      (await tasksAt(greeting)).map(({ title }) => title),
      ["Call Carla"],
    );
    child.kill("SIGTERM");
    const { code, stderr, stdout } = await ended;
    assert.deepEqual([code, stderr, stdout.split("\n").length], [0, "", 2]);
  });

  test("--rate-limit limits the requests of a key, and to a fifth of it the failures of an address", async (t) => {
    const { greeting } = await serveInProcess(t, "--fixtures", file, "--rate-limit", "6");
    const status = async (key: string): Promise<readonly unknown[]> => {
      const response = await describedFetch(`${greeting.baseUrl}/me`, { headers: { "x-api-key": key } });
      return [
        response.status,
        response.headers.get("x-ratelimit-limit"),
        response.headers.get("x-ratelimit-remaining"),
      ];
    };
    for (const left of ["5", "4", "3", "2", "1", "0"]) assert.deepEqual(await status(one.key), [200, "6", left]);
    assert.deepEqual(await status(one.key), [429, "6", "0"]);
    assert.deepEqual(await status(one.secondKey), [200, "6", "5"]);
    for (const expected of [401, 401, 429]) assert.deepEqual(await status("wrong"), [expected, null, null]);
  });

  test("the banner has at most 12 lines, and its command works when pasted", async (t) => {
    const { child, ended, waitForOutput } = start(t, "serve", "--fixtures", file, "--listen", "127.0.0.1:0");
    const banner = await waitForOutput(/Ctrl-C.*\n$/);
    assert.ok(banner.trimEnd().split("\n").length <= 12, banner);
    const command = banner.split("\n").find((line) => line.trimStart().startsWith("curl ")) ?? "";
    const run = promisify(execFile);
    try {
      const { stdout } = await run("sh", ["-c", `${command} --silent --show-error`]);
      assert.deepEqual(
        JSON.parse(stdout).data.map(({ title }: ShownTask) => title),
        ["Call Carla"],
      );
    } catch (error) {
      if ((error as { code?: unknown }).code !== 127) throw error;
      t.skip("curl is not installed here");
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} stops serve with exit code 0 and no output`, async (t) => {
      const { child, greeting, ended } = await serving(t, "--fixtures", file);
      await tasksAt(greeting);
      child.kill(signal);
      const { code, signal: killed, stderr } = await ended;
      assert.deepEqual([code, killed, stderr], [0, null, ""]);
    });
  }

  test("serve --data has all records and API keys again after a restart, and ignores the file", async (t) => {
    const args = ["--data", path("reopened"), "--fixtures", file];
    const first = await serveInProcess(t, ...args);
    await create(first.greeting, "Call again");
    const before = await tasksAt(first.greeting);
    await first.stop();

    for (const again of [args, ["--data", path("reopened")]]) {
      const second = await serveInProcess(t, ...again);
      assert.deepEqual(await tasksAt(second.greeting), before);
      assert.equal((await second.stop()).code, 0);
    }
    assert.deepEqual(
      before.map(({ title }) => title),
      ["Call Carla", "Call again"],
    );
  });

  test("serve that is killed during writes has every task again that it responded with", async (t) => {
    const args = ["--data", path("killed"), "--fixtures", file];
    const first = await serving(t, ...args);
    const acknowledged: string[] = [];
    const writer = async (name: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const made = await create(first.greeting, `Call ${name}.${i}`);
        acknowledged.push(((await made.json()) as { data: ShownTask }).data.id);
        if (acknowledged.length === 60) first.child.kill("SIGKILL");
      }
    };
    await Promise.allSettled([0, 1, 2, 3, 4, 5, 6, 7].map(writer));
    assert.equal((await first.ended).signal, "SIGKILL");

    const second = await serving(t, ...args);
    const found = new Set((await tasksAt(second.greeting)).map(({ id }) => id));
    assert.ok(acknowledged.length >= 60);
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
    );
    assert.equal((await create(second.greeting, "Call after")).status, 201);
    second.child.kill("SIGTERM");
    assert.equal((await second.ended).code, 0);
  });
});

test("npm start sets the same Node options as the binary", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };
  assert.deepEqual(
    nodeOptions.filter((option) => !scripts.start.split(" ").includes(option)),
    [],
  );
});

test("the young generation of the commit worker has at most 3 MiB, whatever the main thread has", async (t) => {
  const report = `process.on("worker", (worker) => worker.once("online", async () => {
    const { heap_size_limit: limit } = await worker.getHeapStatistics();
    const young = limit / 1024 ** 2 - worker.resourceLimits.maxOldGenerationSizeMb;
    process.stderr.write(\`young generation: \${young} MiB\\n\`);
  }));`;
  const [node, ...program] = programCommand;
  const options = [...nodeOptions, "--import", `data:text/javascript,${encodeURIComponent(report)}`];
  const args = ["serve", "--listen", "127.0.0.1:0", "--json", "--data", path("young"), "--fixtures", file, ...quiet];
  const { waitForOutput } = startCommand(t, [node, ...options, ...program, ...args]);
  const [line = ""] = (await waitForOutput(/\n/)).split("\n");
  let isFound = false;
  const found = waitForOutput(/young generation.*\n/, "stderr").finally(() => {
    isFound = true;
  });
  // The worker starts after commits have blocked the event loop for long enough.
  for (let index = 0; !isFound; index++) await create(JSON.parse(line), `Call ${index}`);
  assert.match(await found, /young generation: 3 MiB\n/);
});

test("the process is called crm-integrations", { skip: process.platform !== "linux" }, async (t) => {
  const { greeting } = await serving(t, "--fixtures", file);
  assert.match(readFileSync(`/proc/${greeting.pid}/cmdline`, "utf8"), /^crm-integrations/);
});
