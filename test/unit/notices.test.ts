import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binaryComponents, componentOf, notices, packageComponents } from "../../build/notices.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

/** Writes a package with these files, and returns its folder. */
function packageWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, version: "1.2.3" }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

test("componentOf returns the text of every license file of a package", () => {
  const path = packageWith("two", { "LICENSE-MIT.txt": "MIT text\n", NOTICE: "Notice text", "index.js": "" });
  assert.deepEqual(componentOf(path), {
    name: "two",
    version: "1.2.3",
    license: "MIT text\n\nNotice text",
    purl: "pkg:npm/two@1.2.3",
  });
});

test("componentOf returns the license section of a README", () => {
  const text = "Permission is hereby granted to use it.";
  const path = packageWith("readme", { "README.md": `# Readme\n\n## License\n\n${text}\n` });
  assert.equal(componentOf(path).license, text);
});

test("componentOf throws if a package has no license text", () => {
  const path = packageWith("none", { "README.md": "# None\n\n## License\n\nMIT\n" });
  assert.throws(() => componentOf(path), {
    message: `The package none is bundled, but has no license text in ${path}.`,
  });
});

test("packageComponents lists each bundled package once, the page and the bundler's helpers, and nothing else", () => {
  const inputs = [
    "bin/program.ts",
    "node_modules/commander/index.js",
    "node_modules/commander/lib/command.js",
    "node_modules/@ioredis/commands/built/index.js",
    "node_modules/strip-ansi/node_modules/ansi-regex/index.js",
    "console/main.tsx",
    "node_modules/preact/hooks/dist/hooks.mjs",
    "node_modules/preact/dist/preact.mjs",
  ];
  assert.deepEqual(
    packageComponents(inputs).map(({ name }) => name),
    ["@ioredis/commands", "commander", "esbuild", "preact", "ansi-regex", "swagger-ui-dist"],
  );
});

test("the notices of the binary have the licenses of this project, Node and SQLite", (t) => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  if (process.versions.node !== devDependencies.node) return t.skip(`this Node isn't ${devDependencies.node}`);
  const text = notices(binaryComponents([]));
  assert.ok(text.includes(readFileSync("LICENSE", "utf8").trim()));
  assert.match(text, new RegExp(`^Node\\.js ${process.versions.node.replaceAll(".", "\\.")}$`, "m"));
  assert.match(text, /^- OpenSSL, located at deps\/openssl, is licensed as follows:$/m);
  assert.match(text, /^SQLite 3[.\d]+\n=+\n\nThe author disclaims copyright to this source code\./m);
});
