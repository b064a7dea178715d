import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { testedStorage } from "../served-storage.ts";
import { figures, seed, size } from "../size.ts";

type Counted = Readonly<Record<string, number>>;

/** One per processor. `PROVE_PROCESSES` sets another number. */
const processes = size(1, Number(process.env.PROVE_PROCESSES ?? availableParallelism()));

/** The environment of a process. It isn't a test, so the storage of the tests is removed. */
const { TEST_STORAGE, TEST_POSTGRES, ...env } = process.env;
const databaseArgs = testedStorage === "postgres" && TEST_POSTGRES !== undefined ? [TEST_POSTGRES] : [];

/** Starts a process that runs a part of the histories, in parallel with the others. */
async function histories(t: TestContext, seed: number, count: number) {
  const program = [
    "--import",
    "tsx",
    "test/prove/never-missed/histories.program.ts",
    String(seed),
    String(count),
    ...databaseArgs,
  ];
  const child = spawn(process.execPath, program, { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const closed = once(child, "close");
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  assert.equal(child.exitCode, 0, `histories of the seed ${seed}: ${errors}`);
  return JSON.parse(out) as { readonly counted: Counted; readonly acts: readonly string[] };
}

test("a sync misses no record, however it is interrupted", {
  timeout: size(600_000, 14_400_000),
}, async (t) => {
  t.diagnostic(`FC_SEED=${seed}`);
  const count = databaseArgs.length === 0 ? size(150, 20_000) : size(30, 1_000);
  const each = Math.ceil(count / processes);
  const parts = Array.from({ length: processes }, (_, index) => histories(t, seed + index, each));
  const done = await Promise.all(parts);
  const counted: Record<string, number> = {};
  for (const [name, count] of done.flatMap((part) => Object.entries(part.counted))) {
    counted[name] = (counted[name] ?? 0) + count;
  }
  const acts = new Set(done.flatMap((part) => part.acts));
  // A small number of histories may have no flood.
  const wanted = ["archive", "create", ...(count < 150 ? [] : ["flood"]), "patch", "restore", "same"];
  assert.deepEqual(
    wanted.filter((act) => !acts.has(act)),
    [],
  );
  figures(t, "never-missed", { ...counted, "records missed": 0 });
});
