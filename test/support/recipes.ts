import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { Pages } from "../../lib/client/index.ts";
import { startTestCrm, type TestCrm } from "../../lib/testing/index.ts";
import { serveDemo } from "./serve-demo.ts";

/** Returns the first code block of a recipe in this language. */
export function recipeCode(name: string, language: string): string {
  const page = readFileSync(`docs/recipes/${name}.md`, "utf8");
  const code = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1];
  if (code === undefined) throw new Error(`${name}.md has no block of ${language}`);
  return code;
}

export type DemoRecord = {
  readonly [field in "id" | "name" | "email" | "phone" | "title" | "body" | "createdAt"]?: string;
};

/** Serves the demo tenant until the test ends. */
export async function demoCrm(t: TestContext) {
  const { baseUrl, keys, stop } = await serveDemo();
  t.after(stop);
  const apiKey = keys[0]?.key ?? "";
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const text = await (await fetch(baseUrl + path, init)).text();
    return (text === "" ? { data: [] } : JSON.parse(text)) as { data: DemoRecord[] };
  };
  return { baseUrl, apiKey, send };
}

/** Starts a test CRM with the demo tenant until the test ends. Its clock starts at the time of the machine. */
export async function demoTestCrm(t: TestContext): Promise<TestCrm> {
  const crm = await startTestCrm({ fixtures: "demo", now: Date.now() });
  t.after(() => crm.close());
  return crm;
}

/** Creates an opportunity and wins it, with the field that the demo tenant requires. */
export async function winOpportunity({ client }: TestCrm): Promise<string> {
  const { id } = await client.opportunities.create({ name: "Espresso bar" });
  await client.opportunities.update(id, { status: "won", customFields: { installDate: "2026-03-01" } });
  return id;
}

/** Returns the records of all pages. */
export async function allOf<T>(pages: Pages<T>): Promise<readonly T[]> {
  const records: T[] = [];
  for await (const record of pages.records()) records.push(record);
  return records;
}
