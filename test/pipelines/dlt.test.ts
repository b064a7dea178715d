import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { seededRandom } from "../prove/size.ts";
import { startCommand } from "../support/program.ts";
import { run } from "../support/serve-demo.ts";
import { runHistory } from "./history.ts";
import { installed, skip } from "./python.ts";

const source = readFileSync("docs/sources/crm_source.py", "utf8");
const seeds = [1, 2, 3];
const timeout = 1_800_000;

/** Prints each ID of a table with its version. */
const readTable = `
import duckdb, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
format = "strftime({} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')".format
archived = "null" if sys.argv[2] == "events" else format("archived_at")
for row in connection.execute(f"select id, {format('updated_at')}, {archived} from crm_data.{sys.argv[2]}").fetchall():
    print(*(each for each in row if each is not None))
`;

for (const seed of seeds) {
  test(`dlt has every record after kills, restarts and rejected requests, seed ${seed}`, {
    skip,
    timeout,
  }, async (t) => {
    const { rows, archived, kills, restarts, missing, stale, extra } = await load(t, source, seed, 10);
    assert.deepEqual(
      { kills, restarts, missing, stale, extra },
      { kills: 10, restarts: 2, missing: 0, stale: 0, extra: 0 },
    );
    assert.ok(rows > 1_500 && archived > 20, `${rows} rows, ${archived} archived`);
  });
}

test("dlt without dedup_sort has stale records for at least one of three seeds", { skip, timeout }, async (t) => {
  const fault = source.replace(/^ +hints\["updatedAt"\]\["dedup_sort"\].*\n/m, "");
  assert.notEqual(fault, source);
  let found = 0;
  for (const seed of seeds) found += (await load(t, fault, seed, 0, 0)).stale;
  assert.ok(found > 0);
});

async function load(t: TestContext, text: string, seed: number, kills: number, runs = 7) {
  const bin = installed("dlt[duckdb]==1.31.0");
  const folder = mkdtempSync(join(tmpdir(), "crm-dlt-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "crm_source.py"), text);
  return runHistory(t, folder, seededRandom(seed), { kills, runs }, (url, key) => ({
    start() {
      const settings = { DLT_DATA_DIR: join(folder, "dlt"), RUNTIME__DLTHUB_TELEMETRY: "false" };
      const env = { ...process.env, ...settings, CRM_URL: url, CRM_API_KEY: key };
      return startCommand(t, [join(bin, "python"), "crm_source.py"], { cwd: folder, env });
    },
    async read(list) {
      const { code, stdout, stderr } = await run(join(bin, "python"), [
        "-c",
        readTable,
        join(folder, "crm.duckdb"),
        list,
      ]);
      assert.equal(code, 0, stderr);
      return new Map(
        stdout
          .split("\n")
          .filter(Boolean)
          .map((line) => [line.slice(0, 36), line.slice(37)]),
      );
    },
  }));
}
