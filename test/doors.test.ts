import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "./serve-demo.ts";

type Door = { readonly types: string; readonly default: string };

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { exports } = JSON.parse(readFileSync(file("../package.json"), "utf8")) as {
  exports: Readonly<Record<string, Door | string>>;
};
const doors = Object.entries(exports).filter((entry): entry is [string, Door] => typeof entry[1] !== "string");

/** What each door loads of other people's: nothing that is not used behind it, and no framework ever. */
const packagesBehind: Readonly<Record<string, readonly string[]>> = {
  ".": ["@hono/node-server", "hono", "jose", "lru-cache", "valibot"],
  "./client": [],
  "./node": ["@hono/node-server", "hono", "valibot"],
  "./express": ["@hono/node-server", "hono", "valibot"],
  "./fastify": ["@hono/node-server", "hono", "valibot"],
  "./next": [],
  "./sqlite": ["better-sqlite3", "lru-cache", "valibot"],
  "./postgres": [
    ...["lru-cache", "pg", "pg-connection-string", "pg-int8", "pg-pool", "pg-protocol", "pg-types", "postgres-array"],
    ...["postgres-bytea", "postgres-date", "postgres-interval", "valibot", "xtend"],
  ],
  "./redis": [],
  "./memory-storage": ["valibot"],
  "./storage-contract": ["valibot"],
  "./tenant-file": ["valibot"],
  "./testing": ["@hono/node-server", "better-sqlite3", "hono", "jose", "lru-cache", "valibot"],
};

for (const [door, target] of doors) {
  test(`${door} loads what is used behind it and nothing else`, async () => {
    const source = target.default.replace("./dist/", "../").replace(/\.js$/, ".ts");
    assert.equal(target.types, target.default.replace(/\.js$/, ".d.ts"));
    // Without the loader that tests run under: what is measured is what a host gets.
    const { code, stdout, stderr } = await run(process.execPath, [file("door-probe.ts"), file(source)]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), packagesBehind[door], "say in packagesBehind what a new door may load");
  });
}

test("inside the checkout, each door's name leads to its source", () => {
  const { compilerOptions } = JSON.parse(readFileSync(file("../tsconfig.json"), "utf8"));
  const sources = doors.map(([door, target]) => {
    const source = target.default.replace("./dist/", "./").replace(/\.js$/, ".ts");
    return [`crm-integrations${door.slice(1)}`, [source]];
  });
  assert.deepEqual(compilerOptions.paths, Object.fromEntries(sources));
});
