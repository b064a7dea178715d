import { readFileSync, writeFileSync } from "node:fs";
import { endpoints } from "../lib/endpoints/index.ts";
import type { Endpoint } from "../lib/index.ts";
import { executedPages, maskOutput, runPage, stepsOf, withOutputs } from "./support/docs-pages.ts";
import { serveDemo } from "./support/serve-demo.ts";

/** The page with the generated table of endpoints. */
export const endpointsFile = new URL("../docs/reference/endpoints.md", import.meta.url);

/** Query parameters of every paginated list. The table omits them there. */
const everyList = ["limit", "cursor", "updatedSince", "includeArchived", "order"];
/** Scopes that depend on the query. */
const scopeTexts: Readonly<Record<string, string>> = {
  listCustomFields: "the `read` scope of the entity",
  searchRecords: "a `read` scope",
  getCounts: "a `read` scope",
  listEvents: "a `read` scope",
};

/** Returns the page with the table of endpoints generated from the endpoint list. */
export function withEndpoints(page: string): string {
  const [before, after] = [page.indexOf("<!-- endpoints -->"), page.indexOf("<!-- /endpoints -->")];
  if (before < 0 || after < before) throw new TypeError("The markers <!-- endpoints --> are missing.");
  const rows = [
    ["Method", "Path", "Summary", "Query parameters", "Scope"],
    ["---", "---", "---", "---", "---"],
    ...endpoints.map(toRow),
  ];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `${page.slice(0, before)}<!-- endpoints -->\n\n${table}\n\n${page.slice(after)}`;
}

function toRow(endpoint: Endpoint): string[] {
  const { method, summary, query, access, success } = endpoint;
  const path = access === "admin" ? `/integrations${endpoint.path}` : endpoint.path;
  const omitted = success.collection === "page" ? everyList : [];
  const parameters = Object.keys(query).filter((name) => !omitted.includes(name));
  return [method, code(path.replace(/:(\w+)/g, "{$1}")), summary, parameters.map(code).join(", "), scopeOf(endpoint)];
}

function scopeOf({ access, scope, name }: Endpoint): string {
  if (access === "admin") return "admin token";
  const text = typeof scope === "string" ? code(scope) : scopeTexts[name];
  if (scope === undefined) return text ?? "none";
  if (text === undefined) throw new TypeError(`Add the scope of ${name} to scopeTexts in test/readme.ts.`);
  return text;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  writeFileSync(endpointsFile, withEndpoints(readFileSync(endpointsFile, "utf8")));
  for (const file of executedPages) {
    const page = readFileSync(file, "utf8");
    const steps = stepsOf(page);
    const demo = await serveDemo();
    const outputs = await runPage(steps, demo.url).finally(() => demo.stop());
    const shown = outputs.filter((_, index) => steps[index]?.output !== undefined);
    writeFileSync(file, withOutputs(page, shown.map(maskOutput)));
  }
}
