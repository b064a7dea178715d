import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { tenantFile } from "../../support/tenants.ts";
import { figures, full, seed, seededRandom, size } from "../size.ts";
import { Crm, makeData, one } from "./data-folder.ts";
import { assertSound } from "./final-state.ts";
import { type Built, builtPrograms } from "./program-builds.ts";
import { callsIn, type Fault, strace, whyUnwatched } from "./strace.ts";

const faults: readonly Omit<Fault, "n">[] = [
  { call: "sync", effect: "SIGKILL" },
  { call: "sync", effect: "EIO" },
  { call: "write", effect: "SIGKILL" },
  { call: "write", effect: "ENOSPC", times: Number.POSITIVE_INFINITY },
  { call: "link", effect: "SIGKILL" },
  { call: "link", effect: "EIO" },
];
/**
 * At full size, each kind of fault at every fsync and link and at many writes. In a short run, three of them at one
 * call.
 */
const [perStart, maxWrites] = [full ? faults.length : 3, 40];

const counted = { starts: 0, "of them that served": 0 };
const random = seededRandom();

/** The state before a start: a tenant file, and sometimes a data folder after a crash. */
type Made = { readonly tenant: string; readonly folder?: string };

/** Starts the program in this folder under strace. Returns the trace, and whether the program served. */
async function start(t: TestContext, built: Built, data: string, tenant: string, fault?: Fault) {
  const log = `${data}.strace`;
  const how = { under: strace(log, [], 0, fault), fixtures: tenant };
  const crm = await Crm.start(t, built, data, how).catch(() => undefined);
  await crm?.kill();
  const lines = readFileSync(log, "utf8").split("\n");
  rmSync(log);
  return { lines, serves: crm !== undefined };
}

/**
 * Asserts that after a start with this fault the next one serves, and a POST happens once. Returns whether the call
 * exists.
 */
async function holds(t: TestContext, built: Built, made: Made, fault: Fault): Promise<boolean> {
  const data = mkdtempSync(join(built.options.cwd, "data-"));
  if (made.folder !== undefined) cpSync(made.folder, data, { recursive: true });
  const { lines, serves } = await start(t, built, data, made.tenant, fault);
  const injected = lines.filter((line) => line.includes("INJECTED"));
  // A file whose fsync failed must not be served.
  assert.ok(!(serves && injected.some((line) => /fsync\(.*crm\.db/.test(line))), injected.join("\n"));
  const key = randomUUID();
  let crm = await Crm.start(t, built, data, { fixtures: made.tenant });
  const first = await crm.post(key, "Call");
  await crm.kill();
  crm = await Crm.start(t, built, data, { fixtures: made.tenant });
  const again = await crm.post(key, "Call");
  assert.deepEqual([first?.status, again?.text, again?.replayed], [201, first?.text, true]);
  // One from the tenant file, which was loaded once, and the one that the test created.
  const found = [await crm.tasks("Call Carla"), await crm.tasks("Call")];
  assert.deepEqual(found, [[one.task], [JSON.parse(first?.text ?? "").data.id]]);
  await crm.kill();
  assertSound(data);
  rmSync(data, { recursive: true });
  const hit = injected.length > 0 || (fault.effect === "SIGKILL" && !serves);
  if (hit) counted.starts++;
  if (hit && serves) counted["of them that served"]++;
  return hit;
}

/** The system calls of a start without a fault. */
async function callsOf(t: TestContext, built: Built, { folder, tenant }: Made): Promise<readonly string[]> {
  const data = mkdtempSync(join(built.options.cwd, "data-"));
  if (folder !== undefined) cpSync(folder, data, { recursive: true });
  const { lines, serves } = await start(t, built, data, tenant);
  assert.ok(serves);
  return lines;
}

test("a start that crashes or fails doesn't prevent the next start", {
  timeout: size(300_000, 7_200_000),
}, async (t) => {
  const why = await whyUnwatched(t);
  if (why !== undefined) return t.skip(why);
  const folder = temporaryFolder(t);
  const [built] = await builtPrograms(folder);
  const [crashed, tenant] = [join(folder, "crashed"), join(folder, "tenant.json")];
  await makeData(crashed, 20);
  writeFileSync(tenant, JSON.stringify(tenantFile(one)));
  let turn = Math.floor(random() * faults.length);
  for (const made of [{ tenant }, { tenant, folder: crashed }]) {
    const lines = await callsOf(t, built, made);
    for (let each = 0; each < perStart; each++) {
      const fault = faults[turn++ % faults.length] ?? assert.fail();
      const callNumbers = callsIn(lines, fault.call).map((_, index) => index + 1);
      const count = size(1, fault.call === "write" ? maxWrites : callNumbers.length);
      for (const n of callNumbers.sort(() => random() - 0.5).slice(0, count)) {
        const hit = await holds(t, built, made, { ...fault, n }).catch((cause: unknown) => {
          throw new Error(`${JSON.stringify({ made, ...fault, n })} (FC_SEED=${seed})`, { cause });
        });
        assert.ok(hit, `${JSON.stringify({ ...fault, n })} of ${callNumbers.length}`);
      }
    }
  }
  figures(t, "exactly-once-start", counted);
});
