import { readFileSync, writeFileSync } from "node:fs";
import { endpoints } from "../lib/endpoints/index.ts";
import type { Endpoint } from "../lib/index.ts";

export const readmeFile = new URL("../README.md", import.meta.url);

/** What every list with pages takes; the table leaves it out. */
const everyList = ["limit", "cursor", "updatedSince", "includeArchived"];
/** Needs that follow from the query. */
const needsInWords: Readonly<Record<string, string>> = { listCustomFields: "the entity's `read` scope" };

/** The README with the table of endpoints as the endpoint list gives it. */
export function withEndpoints(readme: string): string {
  const [before, after] = [readme.indexOf("<!-- endpoints -->"), readme.indexOf("<!-- /endpoints -->")];
  if (before < 0 || after < before) throw new TypeError("README.md has lost its markers <!-- endpoints -->.");
  const rows = [
    ["", "Path", "What it does", "Parameters", "Needs"],
    ["---", "---", "---", "---", "---"],
    ...endpoints.map(row),
  ];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `${readme.slice(0, before)}<!-- endpoints -->\n\n${table}\n\n${readme.slice(after)}`;
}

function row(endpoint: Endpoint): string[] {
  const { method, summary, query, access } = endpoint;
  const path = access === "admin" ? `/integrations${endpoint.path}` : endpoint.path;
  const parameters = Object.keys(query).filter((name) => !everyList.includes(name));
  return [method, code(path.replace(/:(\w+)/g, "{$1}")), summary, parameters.map(code).join(", "), needs(endpoint)];
}

function needs({ access, scope, name }: Endpoint): string {
  if (access === "admin") return "an administrator's token";
  if (scope === undefined) return "any API key";
  const words = typeof scope === "string" ? code(scope) : needsInWords[name];
  if (words === undefined) throw new TypeError(`What ${name} needs follows from its query: say it in test/readme.ts.`);
  return words;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) writeFileSync(readmeFile, withEndpoints(readFileSync(readmeFile, "utf8")));
