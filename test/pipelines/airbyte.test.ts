import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { seededRandom } from "../prove/size.ts";
import { startCommand } from "../support/program.ts";
import { run, serveDemo } from "../support/serve-demo.ts";
import { runHistory, type Versions, versionOf } from "./history.ts";
import { installed, skip } from "./python.ts";

const timeout = 1_800_000;
const manifest = ["--manifest-path", resolve("docs/sources/airbyte.yaml")];
const program = (): string => join(installed("airbyte-cdk==7.39.0"), "source-declarative-manifest");

/** A message of the Airbyte protocol, with the parts that a destination needs. */
type Message = {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: { readonly id: string; readonly updatedAt: string } };
  readonly state?: { readonly stream: { readonly stream_descriptor: { readonly name: string } } };
  readonly connectionStatus?: { readonly status: string };
  readonly catalog?: { readonly streams: readonly CatalogStream[] };
};
type CatalogStream = {
  readonly name: string;
  readonly source_defined_primary_key: readonly (readonly string[])[];
  readonly default_cursor_field?: readonly string[];
};

test("Airbyte checks the connection and discovers each stream with its key and cursor", {
  skip,
  timeout,
}, async (t) => {
  const crm = await serveDemo();
  t.after(crm.stop);
  const config = writeConfig(t, crm.baseUrl, crm.keys[0]?.key ?? "");
  const { connectionStatus } = (await call("check", config)).find(({ type }) => type === "CONNECTION_STATUS") ?? {};
  assert.equal(connectionStatus?.status, "SUCCEEDED");
  const keys = (await discover(config)).map(
    ({ name, source_defined_primary_key: key, default_cursor_field: cursor }) => {
      return [name, key.flat().join(), cursor?.join() ?? ""];
    },
  );
  const changes = ["accounts", "contacts", "opportunities", "tasks", "notes", "events"];
  assert.deepEqual(keys, [
    ...changes.map((name) => [name, "id", "updatedAt"]),
    ["pipelines", "id", ""],
    ["users", "id", ""],
    ["custom_fields", "entity,key", ""],
  ]);
});

for (const seed of [1, 2, 3]) {
  test(`Airbyte has every record after kills, restarts and rejected requests, seed ${seed}`, {
    skip,
    timeout,
  }, async (t) => {
    const { rows, archived, kills, restarts, missing, stale, extra } = await load(t, seed);
    assert.deepEqual(
      { kills, restarts, missing, stale, extra },
      { kills: 10, restarts: 2, missing: 0, stale: 0, extra: 0 },
    );
    assert.ok(rows > 1_500 && archived > 20, `${rows} rows, ${archived} archived`);
  });
}

/**
 * Reads into a destination that stores the records and the state of a stream when it gets the state, as Airbyte does.
 */
async function load(t: TestContext, seed: number) {
  const folder = mkdtempSync(join(tmpdir(), "crm-airbyte-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [tables, states] = [new Map<string, Map<string, string>>(), new Map<string, object>()];
  const [catalogFile, stateFile] = [join(folder, "catalog.json"), join(folder, "state.json")];
  let config = "";
  return runHistory(t, folder, seededRandom(seed), { kills: 10, runs: 7 }, async (url, key) => {
    config = writeConfig(t, url, key);
    const streams = (await discover(config)).map((stream) => ({
      stream,
      sync_mode: stream.default_cursor_field?.length ? "incremental" : "full_refresh",
      destination_sync_mode: "append_dedup",
    }));
    writeFileSync(catalogFile, JSON.stringify({ streams }));
    return {
      start() {
        writeFileSync(stateFile, JSON.stringify([...states.values()]));
        const files = ["--config", config, "--catalog", catalogFile, "--state", stateFile];
        const started = startCommand(t, [program(), "read", ...manifest, ...files]);
        const pending = new Map<string, [string, string][]>();
        createInterface(started.child.stdout).on("line", (line) => {
          const { record, state } = parse(line);
          if (record !== undefined) {
            const records = pending.get(record.stream) ?? [];
            records.push([record.data.id, versionOf(record.data)]);
            pending.set(record.stream, records);
          }
          if (state === undefined) return;
          const { name } = state.stream.stream_descriptor;
          const table = tables.get(name) ?? new Map<string, string>();
          for (const [id, version] of pending.get(name) ?? []) {
            // The destination keeps the version with the greatest cursor.
            if (version >= (table.get(id) ?? "")) table.set(id, version);
          }
          tables.set(name, table);
          pending.delete(name);
          states.set(name, state);
        });
        return started;
      },
      read: async (list): Promise<Versions> => tables.get(list) ?? new Map(),
    };
  });
}

async function discover(config: string): Promise<readonly CatalogStream[]> {
  return (await call("discover", config)).find(({ type }) => type === "CATALOG")?.catalog?.streams ?? [];
}

async function call(command: string, config: string): Promise<readonly Message[]> {
  const { code, stdout, stderr } = await run(program(), [command, ...manifest, "--config", config]);
  assert.equal(code, 0, stderr + stdout);
  return stdout.split("\n").map(parse);
}

/** Reads a line. A killed process leaves a part of one. */
function parse(line: string): Partial<Message> & { readonly type: string } {
  try {
    return JSON.parse(line);
  } catch {
    return { type: "" };
  }
}

function writeConfig(t: TestContext, url: string, apiKey: string): string {
  const folder = mkdtempSync(join(tmpdir(), "crm-airbyte-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ url, api_key: apiKey }));
  return file;
}
