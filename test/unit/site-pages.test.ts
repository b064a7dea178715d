import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformSync } from "esbuild";
import { llmsText } from "../../site/llms-text.ts";
import { type ApiDescription, operationsOf, sampleOf } from "../../site/reference-pages.ts";
import { toCurl, toPython, toTypeScript } from "../../site/request-samples.ts";
import { stageSite, titleOf, withLanguageTabs } from "../../site/stage-pages.ts";

const description = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as ApiDescription;
const samples = operationsOf(description).map((each) => ({
  ...sampleOf(description, each),
  id: each.operation.operationId,
}));
const { pages, sidebar } = stageSite();

test("sections named after languages become tabs, and other sections stay", () => {
  const text = "# Sync\n\n## curl\n\n```sh\n## comment\n```\n\n## Python\n\nText.\n\n## Next\n\nMore.\n";
  const tabs = withLanguageTabs(text);
  assert.deepEqual(
    [...tabs.matchAll(/<label[^>]*>([^<]*)/g)].map(([, label]) => label),
    ["curl", "Python"],
  );
  assert.ok(tabs.startsWith("# Sync\n\n<div") && tabs.endsWith("</div></div>\n\n## Next\n\nMore.\n"), tabs);
  assert.ok(tabs.includes("```sh\n## comment\n```"), tabs);
  const single = "# A\n\n## curl\n\nText.\n";
  assert.equal(withLanguageTabs(single), single);
});

test("a link to a file that isn't in the site becomes its text", () => {
  const benchmarks = pages.find(({ path }) => path === "project/benchmarks.md")?.text ?? "";
  assert.ok(!benchmarks.includes("bench/results.md)"), benchmarks);
  const versioning = pages.find(({ path }) => path === "project/versioning.md")?.text ?? "";
  assert.ok(versioning.includes("](../changelog.md)"), versioning);
});

test("the sidebar has every page of a folder once", () => {
  const flat = (items: (typeof sidebar)[number]["items"]): string[] =>
    items.flatMap((item) => ("link" in item ? [item.link] : flat(item.items)));
  const links = flat(sidebar);
  const inFolders = pages
    .filter(({ path }) => path.includes("/"))
    .map(({ path }) => `/${path.replace(/(?:index)?\.md$/, "")}`);
  assert.deepEqual([...links].sort(), inFolders.sort());
});

test("llms.txt names each page with its title and first sentence", () => {
  const text = llmsText(pages, sidebar);
  for (const page of pages.filter(({ path }) => path.includes("/")))
    assert.ok(text.includes(`- [${titleOf(page)}](/docs/${page.path}): `), page.path);
  const empty = text.split("\n").filter((line) => line.startsWith("- ") && /: $/.test(line));
  assert.deepEqual(empty, []);
});

test("the TypeScript and JSON of every request sample can be parsed", () => {
  for (const sample of samples)
    assert.doesNotThrow(() => transformSync(toTypeScript(sample), { loader: "ts" }), sample.id);
});

test("the curl command of every request sample sends its body and headers", (t) => {
  if (spawnSync("bash", ["--version"]).error !== undefined) return t.skip("bash isn't installed");
  const script = samples.map((sample) => toCurl(sample)).join("\nprintf '\\036'\n");
  const fake = `curl() { printf '%s\\037' "$@"; }\nKEY=k TOKEN=t\n`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", fake + script], { encoding: "utf8" });
  assert.deepEqual([stderr, status], ["", 0]);
  const calls = stdout.split("\u001e").map((call) => call.split("\u001f"));
  for (const [index, { id, body }] of samples.entries()) {
    const args = calls[index] ?? [];
    const sent = args.includes("-d") ? JSON.parse(args[args.indexOf("-d") + 1] ?? "") : undefined;
    assert.deepEqual(sent, body, id);
    assert.ok(
      args.some((arg) => arg === "x-api-key: k" || arg === "authorization: Bearer t"),
      id,
    );
  }
});

test("the Python of every request sample builds the same body", (t) => {
  if (spawnSync("python3", ["--version"]).error !== undefined) return t.skip("python3 isn't installed");
  const program = `
import json, os, sys, urllib.request
os.environ.update(KEY="k", TOKEN="t")
bodies = []
class Response:
    status = 200
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def read(self): return b""
def send(request):
    bodies.append(json.loads(request.data) if request.data else None)
    return Response()
urllib.request.urlopen = send
output, sys.stdout = sys.stdout, open(os.devnull, "w")
for code in json.load(sys.stdin):
    exec(code, {})
json.dump(bodies, output)
`;
  const input = JSON.stringify(samples.map((sample) => toPython(sample)));
  const { stdout, stderr } = spawnSync("python3", ["-c", program], { input, encoding: "utf8" });
  assert.equal(stderr, "");
  assert.deepEqual(
    JSON.parse(stdout),
    samples.map(({ body }) => body ?? null),
  );
});
