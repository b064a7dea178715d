import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { flagOf } from "../../bin/cli/setting.ts";
import { commands } from "../../bin/commands/index.ts";
import { fieldErrorCodes } from "../../lib/model/errors.ts";
import { run } from "../support/serve-demo.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = ["README.md", "CONTRIBUTING.md", "examples/README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()];
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]));

/** Objects of the host that the examples use. */
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

test("every TypeScript example of the README and the docs compiles", { timeout: 120_000 }, async () => {
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
  for (const [page, text] of texts) {
    mkdirSync(join(folder, page), { recursive: true });
    for (const [, block = ""] of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      writeFileSync(join(folder, page, `${++count}.ts`), `${block}\nexport {};\n`);
    }
  }
  assert.ok(count >= 25, `only ${count} examples were found`);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { code, stdout, stderr } = await run(process.execPath, [tsc, "-p", folder]);
  assert.equal(code, 0, stdout + stderr);
});

const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");

test("no page has an empty code block or a placeholder", () => {
  const faults = /^```\w*\n\s*```$|\b(?:[A-Z]+TEXT|TODO|TBD|FIXME|XXX|PLACEHOLDER)\b/gm;
  const found = [...texts, ["CHANGELOG.md", changelog] as const].flatMap(([page, text]) =>
    [...text.matchAll(faults)].map(([fault]) => `${page}: ${fault}`),
  );
  assert.deepEqual(found, []);
});

test("every relative link of the README and the docs leads to a file, and its fragment to a heading", () => {
  const broken = [...texts].flatMap(([page, text]) =>
    linksOf(text)
      .filter((link) => !hasTarget(page, link))
      .map((link) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test("the packed pages link only to files that are packed, and to pictures, which only the repository and the site have", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  const isIn = (path: string, name: string) => `${path}/`.startsWith(`${name}/`);
  const left = files.filter((name) => name.startsWith("!")).map((name) => name.slice(1));
  const isPacked = (path: string) =>
    [...files, "README.md", "LICENSE"].some((name) => isIn(path, name)) && !left.some((name) => isIn(path, name));
  const unpacked = [...texts]
    .filter(([page]) => isPacked(page))
    .flatMap(([page, text]) => linksOf(text).map((link) => join(dirname(page), link.split("#", 1)[0] ?? "")))
    .filter((path) => !isPacked(normalize(path)) && !isIn(normalize(path), "docs/images"));
  assert.deepEqual(unpacked, []);
});

test("every command line in the docs is a command of the program, and so are its options", () => {
  const calls = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
      .flatMap(([, block = ""]) => block.replaceAll("\\\n", " ").split(/[\n|]|\$\(/))
      .map((line) => line.trim().replace(/^sudo /, ""))
      .filter((line) => line.startsWith("crm-integrations "))
      .map((call) => ({ page, call })),
  );
  assert.ok(calls.length >= 10, `only ${calls.length} command lines were found`);
  for (const { page, call } of calls) {
    const [, name, ...rest] = call.split(/\s+/);
    const command = commands.find((each) => each.name === name || each.name === `${name} ${rest[0]}`);
    assert.ok(command !== undefined, `${page}: ${call}`);
    const known = Object.keys(command.settings).map(flagOf);
    const flags = rest.filter((word) => word.startsWith("--")).map((flag) => flag.split("=", 1)[0] ?? "");
    assert.deepEqual(
      flags.filter((flag) => !["--help", ...known].includes(flag)),
      [],
      `${page}: ${call}`,
    );
  }
});

test("every page that uses a variable in a command sets it before", () => {
  const unset = [...texts].flatMap(([page, text]) => {
    const blocks = [...text.matchAll(/^```(?:sh|text)\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block).join("");
    const used = [...blocks.matchAll(/\$\{?([A-Z][A-Z_]*)/g)];
    return used
      .filter(({ index, 1: name }) => !new RegExp(`(?:^|\\s)${name}=`, "m").test(blocks.slice(0, index)))
      .map(([variable]) => `${page}: ${variable}`);
  });
  assert.deepEqual(unset, []);
});

test("docs/concepts/errors.md explains every field error code", () => {
  const page = texts.get("docs/concepts/errors.md") ?? "";
  const explained = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, codes = ""]) => codes.split(", "));
  assert.deepEqual(explained.sort(), fieldErrorCodes.map((code) => `\`${code}\``).sort());
});

test("every page in docs/ is linked from another page", () => {
  const linked = [...texts].flatMap(([page, text]) =>
    linksOf(text).map((link) => normalize(join(dirname(page), link.split("#", 1)[0] ?? ""))),
  );
  assert.deepEqual(
    pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md" && !linked.includes(page)),
    [],
  );
});

test("the lines of hand-written pages wrap at 120 characters, except for tables and code", () => {
  const written = [...texts].filter(([, text]) => !text.includes("<!-- Generated by"));
  const long = written.flatMap(([page, text]) =>
    withoutCode(text)
      .split("\n")
      .filter((line) => line.length > 120 && !line.startsWith("|"))
      .map((line) => `${page}: ${line}`),
  );
  assert.deepEqual(long, []);
});

function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)/g)].map(([, link = ""]) => link);
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

function hasTarget(page: string, link: string): boolean {
  const [path = "", fragment] = link.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  if (fragment === undefined) return true;
  if (statSync(join(root, file)).isDirectory()) return false;
  return headingsOf(readFileSync(join(root, file), "utf8")).includes(fragment);
}

/** Returns the fragments that GitHub gives to the headings of a page. */
function headingsOf(text: string): string[] {
  const headings = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}
