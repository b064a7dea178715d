import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const page = readFileSync("docs/reference/clients.md", "utf8");

const programs = { python: "python/trial.py", go: "go/main.go", java: "java/Trial.java" };

for (const [language, file] of Object.entries(programs)) {
  test(`docs/reference/clients.md shows the ${language} code that test/clients runs`, () => {
    const source = readFileSync(`test/clients/${file}`, "utf8");
    const [, part = ""] = /docs:start\n([\s\S]*?)\n[^\n]*docs:end/.exec(source) ?? [];
    assert.equal(blockOf(language), withoutIndent(part));
  });
}

test("docs/reference/clients.md shows the configuration that test/clients uses", () => {
  for (const language of ["go", "java"])
    assert.ok(page.includes(readFileSync(`test/clients/${language}/config.yaml`, "utf8")), language);
});

test("docs/reference/clients.md names the tools and options that test/clients uses to import the description", () => {
  const source = readFileSync("test/clients/collections.ts", "utf8");
  const used = [...source.matchAll(/"([@\w/-]+@\d[\d.]*|parametersResolution=[^"]+)"/g)].map(([, text = ""]) => text);
  assert.equal(used.length, 4);
  for (const text of used) assert.ok(page.includes(text), text);
});

function blockOf(language: string): string | undefined {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
}

function withoutIndent(text: string): string {
  const indent = /^[ \t]*/.exec(text)?.[0] ?? "";
  return text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}
