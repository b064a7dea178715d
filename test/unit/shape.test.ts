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
  "webhooks",
  "api",
  "endpoints",
  "http",
  "console",
  "tenant-file",
  "transfer",
  "mcp",
  "testing",
  "index.ts",
];

/** The same for bin/. */
const programLayers = [
  "cli",
  "database",
  "tenants",
  "check",
  "import",
  "sources",
  "server",
  "commands",
  "program.ts",
  "early-signals.ts",
  "start.ts",
  "crm-integrations.ts",
];

/** The same for the folders of console/. Its files at the top level connect them. */
const consoleLayers = ["texts", "ui", "records", "requests", "set-up", "webhooks", "integrations", "import", "system"];

/** The layers inside lib/storage. The databases don't import each other. */
const storageLayers = [
  ["sort.ts"],
  ["query.ts", "active-opportunity.ts"],
  ["storage.ts", "request-log.ts"],
  ["newer-schema.ts", "sql", "query-matching.ts", "cached-reads.ts", "wrap-storage.ts", "attempt.ts"],
  ["cached-settings.ts", "overlay.ts", "memory.ts", "memory-request-log.ts", "contract", "sqlite", "postgres"],
];

/** Packages that only one folder imports. Every folder may import valibot and lru-cache. */
const packageFolders: Readonly<Record<string, string>> = {
  "better-sqlite3": "lib/storage/sqlite/",
  pg: "lib/storage/postgres/",
  jose: "lib/auth/",
  "@valibot/to-json-schema": "lib/model/",
  "@modelcontextprotocol/server": "lib/mcp/",
  hono: "lib/http/",
  "@hono/node-server": "lib/http/",
};

const { exports, imports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, { readonly types?: string }>;
  imports: Record<string, string>;
};
type Source = { readonly path: string; readonly text: string };
const read = (pattern: string): Source[] =>
  globSync(pattern).map((path) => ({ path, text: readFileSync(path, "utf8") }));
const sources = read("lib/**/*.ts");
const program = read("bin/**/*.ts");
const consoleSources = read("console/**/*.{ts,tsx}");

/** Returns the paths of imported files, and the names of imported packages, also of dynamic imports. */
function importsOf({ path, text }: Source): string[] {
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";/gm),
    ...text.replaceAll(/^ *\*.*/gm, "").matchAll(/(?:\bimport\(|^import )"([^"]+)"/gm),
  ];
  return found.map(([, from = ""]) => (from.startsWith(".") ? join(dirname(path), from) : from));
}

/** Returns the imports of a folder that is later in the list than the file that imports it. */
function findUpwardImports(root: string, files: readonly Source[], layers: readonly string[]): string[] {
  const layerOf = (path: string): number => {
    const layer = layers.indexOf(path.split("/")[1] ?? "");
    assert.notEqual(layer, -1, `${path} is in no layer; add its folder to this list and to CONTRIBUTING.md`);
    return layer;
  };
  return files.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith(`${root}/`) && layerOf(target) > layerOf(file.path))
      .map((target) => `${file.path} imports ${target}`),
  );
}

function storageLayerOf(path: string): number {
  return storageLayers.findIndex((names) => names.includes(path.split("/")[2] ?? ""));
}

test("a module imports only from its own folder and from earlier layers", () => {
  assert.deepEqual(findUpwardImports("lib", sources, layers), []);
  assert.deepEqual(findUpwardImports("bin", program, programLayers), []);
});

test("a folder of the console imports only from earlier folders", () => {
  const folders = consoleSources.filter(({ path }) => path.split("/").length > 2);
  const inFolders = folders.map((file) => ({ path: file.path, targets: importsOf(file) }));
  const layerOf = (path: string): number => consoleLayers.indexOf(path.split("/")[1] ?? "");
  assert.deepEqual(
    inFolders.filter(({ path }) => layerOf(path) === -1),
    [],
  );
  const wrong = inFolders.flatMap(({ path, targets }) =>
    targets
      .filter((target) => target.split("/").length > 2 && layerOf(target) > layerOf(path))
      .map((target) => `${path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("the console imports only the client and transfer of the library", () => {
  const allowed = [
    "crm-integrations/client",
    "crm-integrations/transfer",
    // Without the rest of transfer, which only the import needs.
    "lib/transfer/entities.ts",
    "lib/model/exact-number.ts",
    "@simplewebauthn/browser",
    "lucide",
    "preact",
    "preact/hooks",
  ];
  const foreign = consoleSources.flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith("console/") && !allowed.includes(target))
      .map((target) => `${file.path} imports ${target}`),
  );
  assert.deepEqual(foreign, []);
});

/** The modules of lib/model that a page can contain: they import no schemas. */
const browserModels = ["exact-number.ts", "normalize.ts", "parse-json.ts", "query-list.ts", "suggest.ts"].map(
  (name) => `lib/model/${name}`,
);

test("lib/transfer runs in browsers: it imports only types, itself and modules without schemas", () => {
  const wrong = sources
    .filter(({ path }) => path.startsWith("lib/transfer/"))
    .flatMap(({ path, text }) =>
      importsOf({ path, text: text.replaceAll(/^import type\b[^;]*;/gm, "") })
        .filter((target) => !target.startsWith("lib/transfer/") && !browserModels.includes(target))
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
  const files = [...sources, ...program, ...consoleSources];
  const graph = new Map(files.map((file) => [file.path, importsOf(file)]));
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

test("only the start of bin/ reads the arguments, environment, streams and signals of the process", () => {
  const wrong = program
    .filter(({ path }) => !["bin/start.ts", "bin/early-signals.ts", "bin/crm-integrations.ts"].includes(path))
    .filter(({ text }) =>
      /\bprocess\.(?:argv|env|execArgv|exit|exitCode|off|on|once|stderr|stdin|stdout)\b/.test(text),
    );
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("the program imports the library only through its entry points", () => {
  const wrong = program.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith("lib/"))
      .map((target) => `${file.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
  for (const [name, path] of Object.entries(imports)) {
    const types = exports[name.replace("#lib", ".")]?.types;
    assert.equal(path, types?.replace("./dist/", "./").replace(".d.ts", ".ts"));
  }
});

test("a file has at most 250 lines, a test file at most 400, and the median of the library is under 80", () => {
  const lines = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;
  const exempt = ["lib/client/types.ts", ...globSync("console/texts/*.ts")];
  const written = globSync("{lib,bin,console,build,bench}/**/*.{ts,tsx,css}").filter((path) => !exempt.includes(path));
  const long = written.filter((path) => lines(path) > 250);
  const longTests = globSync("test/**/*.ts").filter((path) => lines(path) > 400);
  assert.deepEqual([...long, ...longTests], []);
  const sizes = sources.map(({ path }) => lines(path)).sort((a, b) => a - b);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  assert.ok(median < 80, `the median is ${median}`);
});
