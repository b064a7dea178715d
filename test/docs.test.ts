import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "./serve-demo.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = [
  "README.md",
  "docs/deploy.md",
  "docs/embedding.md",
  "docs/operations.md",
  "docs/storage.md",
  "docs/client.md",
  "docs/testing.md",
  "docs/postgres.md",
  "examples/README.md",
];

/** What the examples take for granted: things of the host's. */
const host = `
declare const crm: import("crm-integrations/client").Client;
declare const api: import("crm-integrations").Api;
declare const storage: import("crm-integrations").Storage;
declare const sessions: {
  find(cookie: string | null): Promise<{ tenantId: string; userId: string; role: "admin" | "guest" } | undefined>;
};
declare const taxOffice: { knows(document: string): Promise<boolean> };
declare const cache: Set<string>;
declare function load(what: string): Promise<string | undefined>;
declare function save(what: string, since: string): Promise<void>;
declare function upsert(records: readonly unknown[]): Promise<void>;
declare const counters: { add(key: string, windowMs: number): Promise<{ count: number; resetMs: number }> };
`;

test("every example in TypeScript of the README and the guides fits the types of the library", async () => {
  const folder = temporaryFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const paths = Object.entries(compilerOptions.paths as Readonly<Record<string, readonly string[]>>);
  const options = {
    ...compilerOptions,
    paths: Object.fromEntries(paths.map(([name, [file = ""]]) => [name, [join(root, file)]])),
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["."] }));
  writeFileSync(join(folder, "host.d.ts"), host);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  let count = 0;
  for (const page of pages) {
    const text = readFileSync(join(root, page), "utf8");
    mkdirSync(join(folder, page), { recursive: true });
    for (const [, block = ""] of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      writeFileSync(join(folder, page, `${++count}.ts`), `${block}\nexport {};\n`);
    }
  }
  assert.ok(count >= 14, `only ${count} examples were found`);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { code, stdout, stderr } = await run(process.execPath, [tsc, "-p", folder]);
  assert.equal(code, 0, stdout + stderr);
});

test("every file that the guides link to is there", () => {
  for (const page of pages) {
    const links = [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)];
    for (const [, link = ""] of links)
      assert.ok(existsSync(new URL(link, `file://${join(root, page)}`)), `${page}: ${link}`);
  }
});
