import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { modules, node, packed, root, tarball } from "./installed.ts";

test("the package contains only needed files and less than 1.6 MB besides the reference page", (t) => {
  const paths = (packed?.files ?? []).map(({ path }) => path);
  const needed =
    /^(?:dist\/(?:bin|console|fixtures|lib|src|swagger-ui)\/|docs\/(?!project\/|openapi)[\w./-]+$|examples\/n8n\/[\w-]+\.json$|dist\/(?:openapi\.json|schema\.sql|THIRD-PARTY-NOTICES\.txt)$|[A-Z]+(?:\.md)?$|package\.json$)/;
  assert.deepEqual(
    paths.filter((path) => !needed.test(path)),
    [],
  );
  const page = paths.filter((path) => path.startsWith("dist/swagger-ui/"));
  const pageSize = page.reduce((sum, path) => sum + gzipSync(readFileSync(join(root, path))).length, 0);
  const size = (packed?.size ?? Number.POSITIVE_INFINITY) - pageSize;
  assert.ok(page.length > 0 && size < 1_600_000, `${size} bytes`);
  t.diagnostic(`${paths.length} files, ${size} bytes packed, and ${pageSize} of the reference page`);
});

test("the files of the console have at most 120 KB compressed", (t) => {
  const files = (packed?.files ?? []).map(({ path }) => path).filter((path) => path.startsWith("dist/console/"));
  const size = files.reduce((sum, path) => sum + gzipSync(readFileSync(join(root, path))).length, 0);
  const names = files.map((path) => basename(path));
  const served: readonly string[] = JSON.parse(readFileSync(join(root, "dist/console/files.json"), "utf8"));
  assert.deepEqual(names.sort(), [...served, "files.json"].sort());
  assert.ok(size <= 120 * 1024, `${size} bytes`);
  assert.ok(files.length <= 13, `${files.length} files`);
  t.diagnostic(`${size} bytes`);
});

test("the first screen of the console needs at most 45 KB compressed", (t) => {
  const read = (name: string) => readFileSync(join(root, "dist/console", name));
  const served: readonly string[] = JSON.parse(read("files.json").toString());
  const linked = [
    ...read("index.html")
      .toString()
      .matchAll(/(?:href|src)="\.\/([^"]+)"/g),
  ].map(([, name = ""]) => name);
  const texts = served.filter((name) => name.startsWith("de-"));
  assert.deepEqual([linked.length, texts.length], [2, 1]);
  const size = ["index.html", ...linked, ...texts].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  assert.ok(size <= 45 * 1024, `${size} bytes`);
  t.diagnostic(`${size} bytes`);
});

test("the package has the API description as compact JSON", () => {
  const description = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));
  assert.equal(readFileSync(join(root, "dist/openapi.json"), "utf8"), `${JSON.stringify(description)}\n`);
});

test("declaration maps lead to TypeScript sources in the package", () => {
  const paths = new Set((packed?.files ?? []).map(({ path }) => path));
  const maps = [...paths].filter((path) => path.endsWith(".d.ts.map"));
  const sources = maps.map((path) => {
    const {
      sources: [source = ""],
    } = JSON.parse(readFileSync(join(root, path), "utf8")) as { sources: string[] };
    return join(dirname(path), source);
  });
  assert.ok(sources.length > 100);
  assert.deepEqual([...new Set(sources)].sort(), [...paths].filter((path) => path.startsWith("dist/src/")).sort());
});

test("publint and attw find no problems in the package", async () => {
  const publint = await node(join(root, "node_modules/publint/src/cli.js"), "--strict", tarball);
  assert.equal(publint.code, 0, publint.stdout);
  const attw = await node(
    join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"),
    "--profile",
    "esm-only",
    tarball,
  );
  assert.equal(attw.code, 0, attw.stdout);
});

test("version --licenses has the license of every package that is bundled into the program", async () => {
  const inputs: readonly string[] = JSON.parse(readFileSync(join(root, "dist/program.inputs.json"), "utf8"));
  const paths = inputs.flatMap((path) => path.split("node_modules/").slice(1).slice(-1));
  const bundled = new Set(paths.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]));
  const { code, stdout } = await node(join(modules, ".bin/crm-integrations"), "version", "--licenses");
  const named = new Set([...stdout.matchAll(/^=+\n(\S+) \S+\n=+\n\n./gm)].map(([, name]) => name));
  assert.ok(bundled.size > 10, `${bundled.size} packages found`);
  assert.deepEqual([code, [...bundled].filter((name) => !named.has(name))], [0, []]);
  for (const name of ["crm-integrations", "preact", "swagger-ui-dist", "@modelcontextprotocol/server", "zod"])
    assert.ok(named.has(name), name);
});
