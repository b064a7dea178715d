import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

/** The rooms of lib/, from the one that knows nothing to the door. Rooms on one line never meet. */
const rooms: readonly (readonly string[])[] = [
  ["errors.ts"],
  ["uuid.ts", "files"],
  ["client"],
  ["input"],
  ["records"],
  ["storage.ts"],
  ["sql"],
  ["conditional-requests.ts", "rate-limiter.ts", "cursor.ts", "rules", "auth"],
  ["endpoint.ts"],
  ["read-page.ts", "prepare-record.ts"],
  ["list-endpoint.ts"],
  ["resource.ts"],
  ["endpoints", "sqlite", "postgres", "redis", "memory-storage.ts", "storage-contract", "tenant-file"],
  ["idempotency.ts"],
  ["endpoint-request.ts"],
  ["run-endpoint.ts", "maintenance.ts"],
  ["openapi"],
  ["http"],
  ["index.ts", "testing"],
];

/** Packages that only one room may know; valibot and lru-cache are everybody's. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  sqlite: ["better-sqlite3"],
  postgres: ["pg"],
  auth: ["jose"],
  http: ["hono", "@hono/node-server"],
};

const sources = globSync("lib/**/*.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));

function importsOf({ path, text }: { path: string; text: string }): string[] {
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";/gm);
  return [...found].map(([, from = ""]) => (from.startsWith(".") ? join(dirname(path), from) : from));
}

function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function lineOf(path: string): number {
  const line = rooms.findIndex((names) => names.includes(roomOf(path)));
  assert.notEqual(line, -1, `${path} is in no room; add the room to this list and to CONTRIBUTING.md`);
  return line;
}

test("a file imports from rooms above its own and from its own room, never up or sideways", () => {
  const wrong = sources.flatMap((source) =>
    importsOf(source)
      .filter((target) => target.startsWith("lib/"))
      .filter((target) => roomOf(target) !== roomOf(source.path) && lineOf(target) >= lineOf(source.path))
      .map((target) => `${source.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("no import goes round in a circle", () => {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    assert.ok(!way.includes(path), `a circle: ${[...way, path].join(" -> ")}`);
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

test("a package is known to its room only", () => {
  const wrong = sources.flatMap((source) =>
    importsOf(source)
      .filter((target) => !target.startsWith("lib/") && !target.startsWith("node:"))
      .map((target) => target.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? target)
      .filter((name) => !["valibot", "lru-cache", ...(packagesOf[roomOf(source.path)] ?? [])].includes(name))
      .map((name) => `${source.path} imports ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test("the library reads no environment, sets no global and touches no process", () => {
  const wrong = sources.filter(({ text }) => /\bprocess\.\w|\bglobalThis\.\w+ =|\bconsole\./.test(text));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("the program uses the library by its doors only", () => {
  const programs = globSync("bin/**/*.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));
  const wrong = programs.flatMap((program) =>
    importsOf(program)
      .filter((target) => target.startsWith("lib/") && !target.endsWith("/index.ts"))
      .map((target) => `${program.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("no file is over 250 lines, no test over 200, and the median of the library is under 80", () => {
  const lines = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;
  const written = globSync("{lib,bin,build,bench}/**/*.ts").filter((path) => path !== "lib/client/types.ts");
  const long = written.filter((path) => lines(path) > 250);
  const longTests = globSync("test/**/*.ts").filter((path) => lines(path) > 200);
  assert.deepEqual([...long, ...longTests], []);
  const sizes = sources.map(({ path }) => lines(path)).sort((a, b) => a - b);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  assert.ok(median < 80, `the median is ${median}`);
});
