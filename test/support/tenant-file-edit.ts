import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { type Kind, models } from "../../lib/model/kinds.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { loadTenantFile, parseTenantFile, TenantFileError } from "../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock } from "./harness.ts";
import { freshStorage } from "./storages.ts";

export type Edits = Readonly<Record<string, unknown>>;

/** What is wrong with a file, the edits of the demo that make it so, and every fault as `validateEntries` names it. */
export type Refusal = readonly [name: string, edits: Edits, ...faults: string[]];

/** A tenant file that comes along. */
export function fixture(name: "demo" | "second"): unknown {
  return parseTenantFile(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url)));
}

/** What stands at a JSON Pointer. */
export function valueAt(file: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], file);
}

/** The entries of one list of the file. */
export function listIn(file: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  return valueAt(file, `/${name}`) as readonly Readonly<Record<string, unknown>>[];
}

/** A copy with other values at these JSON Pointers; undefined takes the key away. */
export function edited(file: unknown, edits: Edits): unknown {
  const copy = structuredClone(file);
  for (const [pointer, value] of Object.entries(edits)) {
    const end = pointer.lastIndexOf("/");
    const parent = valueAt(copy, pointer.slice(0, end)) as Record<string, unknown>;
    if (value === undefined) delete parent[pointer.slice(end + 1)];
    else parent[pointer.slice(end + 1)] = value;
  }
  return copy;
}

/** Loads with a clock that stands still and ids that count up. */
export function load(storage: Storage, file: unknown) {
  return loadTenantFile(storage, file, { clock: new TestClock(), newId: sequentialIds() });
}

/** Why the file is refused, `path code: message` for every fault. Empty where it was loaded. */
export async function faultsOf(storage: Storage, file: unknown): Promise<readonly string[]> {
  try {
    await load(storage, file);
    return [];
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    return error.issues.map(({ problem }) => `${problem.path} ${problem.code}: ${problem.message}`);
  }
}

/** Every record of the tenant, the archived ones too, by kind. */
export async function recordsOf(storage: Storage, tenantId: unknown): Promise<Record<string, readonly unknown[]>> {
  const kinds = Object.keys(models) as Kind[];
  const lists = kinds.map((kind) => storage.list(String(tenantId), kind, { includeArchived: true }));
  return Object.fromEntries((await Promise.all(lists)).map((list, index) => [kinds[index], list]));
}

/** A test per refusal, all in one storage; in the end the demo as it is must be loaded by the same storage. */
export function testRefusals(refusals: readonly Refusal[]): void {
  const demo = fixture("demo");
  let storage: Storage;
  before(async () => {
    storage = await freshStorage();
  });
  after(() => storage.close());
  for (const [name, edits, ...faults] of refusals) {
    test(`a tenant file with ${name} is rejected and stores nothing`, async () => {
      assert.deepEqual(await faultsOf(storage, edited(demo, edits)), faults);
      const left = Object.values(await recordsOf(storage, valueAt(demo, "/tenant/id")));
      assert.deepEqual(left.flat(), []);
    });
  }
  test("the same tenant file without these errors loads", async () => {
    assert.equal((await load(storage, demo)).created, true);
  });
}
