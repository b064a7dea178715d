import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, smallDisk } from "../prove/failures/small-disk.ts";
import { start, startUnder, tenantFolder } from "../support/program.ts";
import { testTenant } from "../support/tenants.ts";

const one = testTenant(1);
const { file } = tenantFolder(one);

test("below --min-free-mb writes return 503 and reads continue; writes resume once there is space", {
  timeout: 60_000,
}, async (t) => {
  const disk = smallDisk(t, 32_768);
  if (disk === undefined) return;
  const data = `${disk}/data`;
  const options = ["serve", "--data", data, "--fixtures", file, "--listen", "127.0.0.1:0", "--json"];
  const program = startUnder(t, [], ...options, "--min-free-mb", "16");
  const { url, baseUrl } = JSON.parse((await program.waitForOutput(/\n/)).split("\n", 1)[0] ?? "");
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { "x-api-key": one.key, "content-type": "application/json", ...init.headers };
    return fetch(`${baseUrl}${path}`, { ...init, headers });
  };
  const post = () => call("/tasks", { method: "POST", body: JSON.stringify({ title: "Call" }) });
  const made = async (): Promise<number> => {
    const { data: tasks } = (await (await call("/tasks?limit=200")).json()) as { data: { title: string }[] };
    return tasks.filter(({ title }) => title === "Call").length;
  };
  const ready = async () => {
    const response = await fetch(`${url}/readyz`);
    const { status, reasons } = (await response.json()) as { status: string; reasons?: string[] };
    return { status, reasons };
  };
  assert.equal((await post()).status, 201);

  const free = fill(disk, 8_192);
  // The server reads the free space four times a second.
  while ((await post()).status === 201);
  const before = await made();
  const rejected = await post();
  assert.deepEqual([rejected.status, rejected.headers.get("retry-after")], [503, "1"]);
  assert.equal(await made(), before);
  const reasons = ["Less than 16 MiB of disk space is free. Writes are rejected."];
  assert.deepEqual(await ready(), { status: "not ready", reasons });

  // It also starts with the existing data.
  program.child.kill("SIGKILL");
  await program.ended;
  const again = startUnder(t, [], ...options, "--min-free-mb", "16");
  const greeting = JSON.parse((await again.waitForOutput(/\n/)).split("\n", 1)[0] ?? "");
  const title = JSON.stringify({ title: "Call" });
  const headers = { "x-api-key": one.key, "content-type": "application/json" };
  const write = () => fetch(`${greeting.baseUrl}/tasks`, { method: "POST", headers, body: title });
  assert.equal((await fetch(`${greeting.baseUrl}/tasks`, { headers })).status, 200);
  assert.equal((await write()).status, 503);
  assert.match(
    await again.waitForOutput(/"freeMb":/, "stderr"),
    /"level":"warn".*"freeMb":[0-9]+,.*disk space low; rejecting writes/,
  );
  free();
  while ((await write()).status !== 201);
  await again.waitForOutput(/"message":"disk space recovered/, "stderr");
  again.child.kill("SIGTERM");
  const { code, stderr } = await again.ended;
  assert.equal(code, 0);
  assert.ok(!stderr.includes('"level":"error"'), "a rejected write was logged as an error");
});

test("a new database on a full disk is rejected in one line", { timeout: 30_000 }, async (t) => {
  const disk = smallDisk(t, 16_384);
  if (disk === undefined) return;
  const { code, stdout, stderr } = await start(t, "serve", "--data", `${disk}/data`, "--listen", "127.0.0.1:0").ended;
  assert.deepEqual([code, stdout], [1, ""]);
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  assert.deepEqual(lines, [
    "crm-integrations: Less than 64 MiB of disk space is free. Free disk space or lower --min-free-mb.",
  ]);
});
