import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { type Kind, models } from "../../lib/model/kinds.ts";
import type { Storage } from "../../lib/storage/storage.ts";
import { loadTenantFile, parseTenantFile, TenantFileError } from "../../lib/tenant-file/index.ts";
import { sequentialIds, TestClock } from "./harness.ts";
import { freshStorage } from "./storages.ts";

/** New values by JSON Pointer. */
export type Edits = Readonly<Record<string, unknown>>;

/** A rejected tenant file: its description, the edits of the demo file, and all issues as `path code: message`. */
export type RejectedFile = readonly [name: string, edits: Edits, ...issues: string[]];

/** Returns a tenant file of fixtures/. */
export function fixture(name: "demo" | "second"): unknown {
  return parseTenantFile(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url)));
}

/** Returns the value at a JSON Pointer. */
export function valueAt(file: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], file);
}

/** Returns the entries of one list of a tenant file. */
export function listIn(file: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  return valueAt(file, `/${name}`) as readonly Readonly<Record<string, unknown>>[];
}

/** Returns a copy with these values. `undefined` deletes a member. */
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

/** Loads a tenant file with a fixed clock and IDs that count up. */
export function load(storage: Storage, file: unknown) {
  return loadTenantFile(storage, file, { clock: new TestClock(), newId: sequentialIds() });
}

/** Loads a tenant file. Returns its issues as `path code: message`, none if it was loaded. */
export async function issuesOf(storage: Storage, file: unknown): Promise<readonly string[]> {
  try {
    await load(storage, file);
    return [];
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    return error.issues.map(({ problem }) => `${problem.path} ${problem.code}: ${problem.message}`);
  }
}

/** Returns all records of a tenant by kind, including archived ones. */
export async function recordsOf(storage: Storage, tenantId: unknown): Promise<Record<string, readonly unknown[]>> {
  const kinds = Object.keys(models) as Kind[];
  const lists = kinds.map((kind) => storage.list(String(tenantId), kind, { includeArchived: true }));
  return Object.fromEntries((await Promise.all(lists)).map((list, index) => [kinds[index], list]));
}

/**
 * Returns a test per rejected file, for `describe` of a test file. At the end, the same storage must load the demo
 * file.
 */
export function rejectionTests(files: readonly RejectedFile[]): () => void {
  return () => {
    const demo = fixture("demo");
    let storage: Storage;
    before(async () => {
      storage = await freshStorage();
    });
    after(() => storage.close());
    for (const [name, edits, ...issues] of files) {
      test(`a tenant file with ${name} is rejected and stores nothing`, async () => {
        assert.deepEqual(await issuesOf(storage, edited(demo, edits)), issues);
        const left = Object.values(await recordsOf(storage, valueAt(demo, "/tenant/id")));
        assert.deepEqual(left.flat(), []);
      });
    }
    test("the same tenant file without these errors loads", async () => {
      assert.equal((await load(storage, demo)).created, true);
    });
  };
}
