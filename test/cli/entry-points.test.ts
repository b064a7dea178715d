import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../support/serve-demo.ts";

type Target = { readonly types: string; readonly default: string };

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { exports } = JSON.parse(readFileSync(file("../../package.json"), "utf8")) as {
  exports: Readonly<Record<string, Target | string>>;
};
const entryPoints = Object.entries(exports).filter((entry): entry is [string, Target] => typeof entry[1] !== "string");

/** The packages that each entry point loads. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  ".": ["@hono/node-server", "@valibot/to-json-schema", "hono", "jose", "lru-cache", "valibot"],
  "./client": [],
  "./node": ["@hono/node-server", "hono", "valibot"],
  "./express": ["@hono/node-server", "hono", "valibot"],
  "./fastify": ["@hono/node-server", "hono", "valibot"],
  "./next": [],
  "./console": ["@hono/node-server", "@valibot/to-json-schema", "hono", "jose", "lru-cache", "valibot"],
  "./sqlite": ["better-sqlite3", "lru-cache", "valibot"],
  "./postgres": [
    ...["lru-cache", "pg", "pg-connection-string", "pg-int8", "pg-pool", "pg-protocol", "pg-types", "postgres-array"],
    ...["postgres-bytea", "postgres-date", "postgres-interval", "valibot", "xtend"],
  ],
  "./redis": [],
  "./memory-storage": ["valibot"],
  "./storage-contract": ["valibot"],
  "./tenant-file": ["valibot"],
  "./transfer": ["valibot"],
  "./mcp": [
    ...["@hono/node-server", "@modelcontextprotocol/core", "@modelcontextprotocol/server", "@valibot/to-json-schema"],
    ...["hono", "jose", "lru-cache", "valibot", "zod"],
  ],
  "./testing": [
    ...["@hono/node-server", "@valibot/to-json-schema", "better-sqlite3", "hono", "jose", "lru-cache", "valibot"],
  ],
};

// Reading the sources takes twice as long.
const isBuilt = process.env.TEST_PROGRAM !== undefined;

for (const [entryPoint, target] of entryPoints) {
  test(`${entryPoint} loads only the modules that it uses`, async () => {
    const source = target.default.replace("./dist/", "./").replace(/\.js$/, ".ts");
    assert.equal(target.types, target.default.replace(/\.js$/, ".d.ts"));
    // Without the loader of the tests, as in a host.
    const loaded = file(`../../${isBuilt ? target.default : source}`);
    const { code, stdout, stderr } = await run(process.execPath, [file("../support/loaded-packages.ts"), loaded]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), packagesOf[entryPoint], "add the packages of a new entry point to packagesOf");
  });
}

test("in the checkout, each entry point resolves to its source", () => {
  const { compilerOptions } = JSON.parse(readFileSync(file("../../tsconfig.json"), "utf8"));
  const sources = entryPoints.map(([entryPoint, target]) => {
    const source = target.default.replace("./dist/", "./").replace(/\.js$/, ".ts");
    return [`crm-integrations${entryPoint.slice(1)}`, [source]];
  });
  assert.deepEqual(compilerOptions.paths, Object.fromEntries(sources));
});
