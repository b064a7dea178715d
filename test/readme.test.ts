import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { defaultData } from "../bin/database/data-folder.ts";
import { fieldErrorCodes } from "../lib/model/errors.ts";
import { readmeFile, withEndpoints } from "./readme.ts";
import { run, serveDemo, temporaryFolder } from "./serve-demo.ts";

const readme = readFileSync(readmeFile, "utf8");
const promisesFile = new URL("../docs/promises.md", import.meta.url);

test("the table of endpoints in the README is that of the code", () => {
  const wanted = withEndpoints(readme);
  const table = wanted.slice(wanted.indexOf("<!-- endpoints -->"), wanted.indexOf("<!-- /endpoints -->"));
  const hint = "The table is out of date. `npm run readme` writes it; it should be:";
  assert.ok(readme === wanted, `${hint}\n\n${table}`);
});

test("every file that the README and the page of promises link to is there", () => {
  for (const [file, text] of [
    [readmeFile, readme],
    [promisesFile, readFileSync(promisesFile, "utf8")],
  ] as const) {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);
    assert.ok(links.length > 0);
    for (const link of links) assert.ok(existsSync(new URL(link, file)), link);
  }
});

test("the page of promises names every code that a problem can have", () => {
  const page = readFileSync(promisesFile, "utf8");
  assert.deepEqual(
    fieldErrorCodes.filter((code) => !page.includes(`\`${code}\``)),
    [],
  );
});

/** An example of the README: what is typed, and what is shown to come back. */
type Example = { readonly title: string; readonly script: string; readonly output: string };

const section = readme.slice(readme.indexOf("## Call it"), readme.indexOf("## Endpoints"));
const [intro = "", ...parts] = section.split(/^### /m);

/** The text of the fenced block of this language; there is exactly one. */
function block(text: string, language: string): string {
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  assert.equal(found.length, 1, `one block of ${language} in: ${text.slice(0, 60)}`);
  return found[0]?.[1] ?? "";
}

const setUp = block(intro, "sh");
const examples = parts.map((part): Example => {
  return { title: part.split("\n", 1)[0] ?? "", script: block(part, "sh"), output: block(part, "text") };
});

/** `…` stands for anything within its line; all else for itself. */
function matches(output: string, expected: string): boolean {
  const parts = expected.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*?")}$`).test(output);
}

test("no example loads the demo into the default data folder", () => {
  const serving = readme.match(/npm start -- --data \S+/g) ?? [];
  assert.ok(serving.length > 0);
  assert.deepEqual(
    [...serving, ...examples.map(({ script }) => script)].filter((text) => text.includes(defaultData)),
    [],
  );
});

test("there are five examples", () => {
  assert.equal(examples.length, 5);
});

const missing = ["bash", "curl"].filter((command) => spawnSync(command, ["--version"]).error !== undefined);
const skip = missing.length > 0 && `the examples need ${missing.join(" and ")}, which this machine does not have`;
const data = join(temporaryFolder(), "demo-data");
const served = skip === false ? await serveDemo(data) : undefined;
after(() => served?.stop());

for (const { title, script, output } of examples) {
  test(`the README's example works as it is shown: ${title}`, { skip }, async () => {
    const typed = `${setUp}${script}`
      .replaceAll("http://127.0.0.1:8080", served?.url ?? "")
      .replaceAll(" demo-data ", ` ${data} `);
    const { code, stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", typed]);
    assert.equal(code, 0, stderr);
    assert.ok(matches(stdout, output), `wanted:\n${output}\ngot:\n${stdout}\n${stderr}`);
  });
}
