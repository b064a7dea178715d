import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";

/** That `npm run prove:mutants`, which takes long, has what it needs: whoever changes code that a fault is put into hears of it here. */

const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, text);
  return text;
}

test("every mutant matches the source once, and has a unique name and existing tests", () => {
  const misfits = mutants.filter(({ file, from }) => textOf(file).split(from).length !== 2);
  const named = misfits.map(({ name, file }) => `${name} (${file}): this fault no longer applies, update it`);
  assert.deepEqual(named, []);
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  assert.deepEqual(
    mutants.flatMap(({ tests }) => tests).filter((file) => !existsSync(file)),
    [],
  );
});

function covers({ file, from }: Mutant, path: string, at: number): boolean {
  const start = textOf(file).indexOf(from);
  return file === path && start <= at && at < start + from.length;
}

test("every tenant condition in the SQL has a mutant", () => {
  const files = ["lib/storage/sql", "lib/storage/sqlite"].flatMap((folder) => globSync(`${folder}/*.ts`));
  const places = files.flatMap((file) =>
    [...textOf(file).matchAll(/tenant_id = /g)].map(({ index }) => ({ file, index })),
  );
  assert.ok(places.length > 10);
  const bare = places.filter(({ file, index }) => !mutants.some((mutant) => covers(mutant, file, index)));
  assert.deepEqual(
    bare.map(({ file, index }) => `${file}: ${textOf(file).slice(index - 40, index + 40)}`),
    [],
  );
});
