import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

/** The folders of lib/ in import order: a folder imports only from folders before it. */
const layers = [
  "client",
  "model",
  "storage",
  "auth",
  "api",
  "endpoints",
  "http",
  "console",
  "tenant-file",
  "testing",
  "index.ts",
];

/** The layers inside lib/storage. The databases don't import each other. */
const storageLayers = [
  ["storage.ts"],
  ["sql", "query-matching.ts", "cached-reads.ts", "cached-settings.ts"],
  ["overlay.ts", "memory.ts", "contract", "sqlite", "postgres"],
];

/** Packages that only one folder imports. Every folder may import valibot and lru-cache. */
const packageFolders: Readonly<Record<string, string>> = {
  "better-sqlite3": "lib/storage/sqlite/",
  pg: "lib/storage/postgres/",
  jose: "lib/auth/",
  "@valibot/to-json-schema": "lib/model/",
  hono: "lib/http/",
  "@hono/node-server": "lib/http/",
};

const { exports, imports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, { readonly types?: string }>;
  imports: Record<string, string>;
};
const sources = globSync("lib/**/*.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));

function importsOf({ path, text }: { path: string; text: string }): string[] {
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";/gm);
  return [...found].map(([, from = ""]) => (from.startsWith(".") ? join(dirname(path), from) : from));
}

function layerOf(path: string): number {
  const layer = layers.indexOf(path.split("/")[1] ?? "");
  assert.notEqual(layer, -1, `${path} is in no layer; add its folder to this list and to CONTRIBUTING.md`);
  return layer;
}

function storageLayerOf(path: string): number {
  return storageLayers.findIndex((names) => names.includes(path.split("/")[2] ?? ""));
}

test("a module imports only from its own folder and from earlier layers", () => {
  const wrong = sources.flatMap(({ path, text }) =>
    importsOf({ path, text })
      .filter((target) => target.startsWith("lib/"))
      .filter((target) => layerOf(target) > layerOf(path))
      .map((target) => `${path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("a storage imports no other storage", () => {
  const wrong = sources
    .filter(({ path }) => path.startsWith("lib/storage/"))
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => target.startsWith("lib/storage/") && target.split("/")[2] !== source.path.split("/")[2])
        .filter((target) => storageLayerOf(target) >= storageLayerOf(source.path))
        .map((target) => `${source.path} imports ${target}`),
    );
  assert.deepEqual(wrong, []);
});

test("no imports form a cycle", () => {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const visit = (path: string, importers: readonly string[]): void => {
    assert.ok(!importers.includes(path), `a cycle: ${[...importers, path].join(" -> ")}`);
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...importers, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

test("only one folder imports each package", () => {
  const wrong = sources.flatMap(({ path, text }) =>
    importsOf({ path, text })
      .filter((target) => !target.startsWith("lib/") && !target.startsWith("node:"))
      .map((target) => target.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? target)
      .filter((name) => !["valibot", "lru-cache"].includes(name) && !path.startsWith(packageFolders[name] ?? "-"))
      .map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test("the library uses no environment variables, globals, console or process", () => {
  const wrong = sources.filter(({ text }) =>
    /\bprocess\.\w|\bglobalThis\.\w+ =|\bconsole\.(?:debug|dir|error|info|log|table|trace|warn)\b/.test(text),
  );
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("the program imports the library only through its entry points", () => {
  const programs = globSync("bin/**/*.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));
  const wrong = programs.flatMap((program) =>
    importsOf(program)
      .filter((target) => target.startsWith("lib/"))
      .map((target) => `${program.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
  for (const [name, path] of Object.entries(imports)) {
    const types = exports[name.replace("#lib", ".")]?.types;
    assert.equal(path, types?.replace("./dist/", "./").replace(".d.ts", ".ts"));
  }
});

test("no file is over 250 lines, no test over 200, and the median of the library is under 80", () => {
  const lines = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;
  const exempt = ["lib/client/types.ts", "bin/console/texts.ts"];
  const written = globSync("{lib,bin,build,bench}/**/*.ts").filter((path) => !exempt.includes(path));
  const long = written.filter((path) => lines(path) > 250);
  const longTests = globSync("test/**/*.ts").filter((path) => lines(path) > 200);
  assert.deepEqual([...long, ...longTests], []);
  const sizes = sources.map(({ path }) => lines(path)).sort((a, b) => a - b);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  assert.ok(median < 80, `the median is ${median}`);
});
