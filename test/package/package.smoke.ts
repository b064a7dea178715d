import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { run } from "../support/serve-demo.ts";

import { files, modules, names, node, project, root } from "./installed.ts";

/** A test of a client, as a user of the package writes it. */
const lostResponse = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type Task } from "crm-integrations/client";
import { startTestCrm } from "crm-integrations/testing";

test("a retry after a lost response creates no second record", async () => {
  const crm = await startTestCrm({ fixtures: "demo" });
  const client = createClient({ baseUrl: crm.baseUrl, apiKey: crm.keys[0]?.key ?? "" });
  crm.faults.add({ operation: "createTask", drop: "after-commit" });
  const made = await client.tasks.create({ title: "Once" });
  const found: Task[] = [];
  for await (const task of client.tasks.list().records()) if (task.title === "Once") found.push(task);
  assert.deepEqual(found, [made]);
  await crm.close();
});
`;

test("without better-sqlite3, everything but crm-integrations/sqlite works", async () => {
  const addon = join(modules, "better-sqlite3");
  renameSync(addon, `${addon}-away`);
  try {
    writeFileSync(join(project, "load.ts"), "await import(process.argv[2] as string);");
    const load = (name: string) => node("load.ts", name);
    for (const name of names.filter((each) => !/sqlite|testing/.test(each)))
      assert.equal((await load(name)).code, 0, name);
    assert.match((await load("crm-integrations/sqlite")).stderr, /Cannot find package 'better-sqlite3'/);
  } finally {
    renameSync(`${addon}-away`, addon);
  }
});

test("every package export works with import and require", async () => {
  const imports = names.map((name, index) => `import * as entry${index} from "${name}";`);
  const list = names.map((_, index) => `Object.keys(entry${index}).length > 0`);
  writeFileSync(
    join(project, "entry-points.ts"),
    `${imports.join("\n")}\nprocess.stdout.write(JSON.stringify([${list}]));\n`,
  );
  const all = JSON.stringify(names.map(() => true));
  const imported = await node("entry-points.ts");
  assert.deepEqual([imported.stdout, imported.stderr], [all, ""]);
  const required = `${JSON.stringify(names)}.map((name) => Object.keys(require(name)).length > 0)`;
  writeFileSync(join(project, "entry-points.cts"), `process.stdout.write(JSON.stringify(${required}));\n`);
  assert.equal((await node("entry-points.cts")).stdout, all);
  const shown = `${JSON.stringify(files)}.map((name) => typeof require("crm-integrations" + name.slice(1)))`;
  writeFileSync(join(project, "files.cts"), `process.stdout.write(JSON.stringify(${shown}));\n`);
  assert.equal((await node("files.cts")).stdout, JSON.stringify(files.map(() => "object")));
});

test("the types of every package export compile in a strict project", async () => {
  const shared = { target: "es2024", strict: true, noEmit: true, types: ["node"], allowImportingTsExtensions: true };
  const include = ["entry-points.ts", "once.ts", ...globSync("examples/*/server.ts", { cwd: root })];
  writeFileSync(join(project, "once.ts"), lostResponse);
  for (const resolution of [{ module: "nodenext" }, { module: "esnext", moduleResolution: "bundler" }]) {
    const compilerOptions = { ...shared, ...resolution };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    const { stdout } = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project]);
    const errors = stdout.split("\n").filter((line) => /crm-integrations|^examples|^once|^entry-points/.test(line));
    assert.deepEqual(errors, [], compilerOptions.module);
  }
});

/** A host that commits on a worker thread from the first commit on. */
const apart = `
import { sqliteStorage } from "crm-integrations/sqlite";

const threads: string[] = [];
process.on("worker", () => threads.push("thread"));
const lost = (error: Error) => threads.push(error.message);
const storage = sqliteStorage({ file: ${JSON.stringify(join(project, "apart", "crm.db"))}, commitWorker: true, onCommitWorkerError: lost });
const id = "01950001-0000-7000-9000-000000000000";
const tenant = { id, name: "One", createdAt: 1, updatedAt: 1, archivedAt: null };
await storage.commit(id, 1, () => [{ op: "insert", kind: "tenant", record: tenant }]);
process.stdout.write(JSON.stringify([threads, (await storage.listTenants()).length]));
await storage.close();
`;

test("the commit worker starts from the package", async () => {
  writeFileSync(join(project, "apart.ts"), apart);
  const { code, stdout, stderr } = await node("apart.ts");
  assert.deepEqual([code, stdout], [0, '[["thread"],1]'], stderr);
});

test("the test CRM and the program run from the package", async () => {
  const alone = ["-u", "NODE_TEST_CONTEXT", process.execPath, "--test-reporter=spec", join(project, "once.ts")];
  const { code, stdout } = await run("env", alone);
  assert.deepEqual([code, /^ℹ pass 1$/m.test(stdout)], [0, true], stdout);
  const generated = await node(join(modules, ".bin/crm-integrations"), "generate", "--accounts", "1");
  assert.equal(JSON.parse(generated.stdout).accounts.length, 1);
});

test("the program serves MCP without the optional peer dependency", async () => {
  const sdk = join(modules, "@modelcontextprotocol");
  renameSync(sdk, `${sdk}-away`);
  try {
    const data = join(project, "mcp");
    const program = join(modules, ".bin/crm-integrations");
    const { code, stderr } = await node(program, "load", join(project, "fixtures/demo.json"), "--data", data);
    assert.equal(code, 0, stderr);
    const child = spawn(process.execPath, [program, "mcp", "--data", data], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
    const { result } = JSON.parse(await text(child.stdout));
    assert.equal(result.tools.length, 10);
    writeFileSync(join(project, "load-mcp.ts"), 'await import("crm-integrations/mcp");');
    assert.match((await node("load-mcp.ts")).stderr, /Cannot find package '@modelcontextprotocol/);
  } finally {
    renameSync(`${sdk}-away`, sdk);
  }
});

test("the program contains the packages of the library", async () => {
  const packages = ["hono", "@hono/node-server", "jose", "lru-cache", "valibot"].map((name) => join(modules, name));
  for (const folder of packages) renameSync(folder, `${folder}-away`);
  try {
    const { code, stdout, stderr } = await node(join(modules, ".bin/crm-integrations"), "generate", "--accounts", "1");
    assert.deepEqual([code, JSON.parse(stdout).accounts.length, stderr], [0, 1, ""]);
  } finally {
    for (const folder of packages) renameSync(`${folder}-away`, folder);
  }
});

test("on an older Node the program prints the version that it needs", async (t) => {
  const older = "/usr/bin/node";
  const { stdout: version } = existsSync(older) ? await run(older, ["--version"]) : { stdout: "" };
  if (version === "" || Number.parseInt(version.slice(1), 10) >= 22) return t.skip(`no Node before 22 as ${older}`);
  const found = await run(older, [join(modules, "crm-integrations/dist/bin/crm-integrations.js"), "version"]);
  const stderr = `crm-integrations requires Node 22.14 or later. This is Node ${version.trim().slice(1)}.\n`;
  assert.deepEqual(found, { code: 1, stdout: "", stderr });
});

for (const server of globSync("examples/*/server.ts", { cwd: root }).sort()) {
  test(`${server} runs from the package`, { timeout: 60_000 }, async (t) => {
    const env = { ...process.env, PORT: "0" };
    const child = spawn(process.execPath, [join(project, server)], { env, stdio: ["ignore", "pipe", "pipe"] });
    t.after(() => child.kill("SIGKILL"));
    const [output, closed] = [text(child.stderr), once(child, "close")];
    const ended = closed.then(async () => assert.fail(`it ended before it served: ${await output}`));
    ended.catch(() => {});
    const [base] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
    assert.equal((await fetch(`${base}/me`)).status, 401);
    child.kill("SIGTERM");
    assert.deepEqual([await closed, await output], [[0, null], ""]);
  });
}
