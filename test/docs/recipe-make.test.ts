import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type DemoRecord, demoCrm } from "../support/recipes.ts";

const page = readFileSync("docs/recipes/make.md", "utf8");
const [, readTable = "", createTable = ""] = page.split(/^## .*$/m);

test("the scenario reads all contacts, then only the changes", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  for (let index = 0; index < 210; index++) await crm.send("POST", "/contacts", { name: `Contact ${index}` });
  const store = { updatedSince: "" };
  const first = await runScenario(crm, store);
  assert.ok(first.pages >= 2);
  const ids = first.contacts.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  await crm.send("PATCH", `/contacts/${ids[0]}`, { name: "Renamed" });
  await crm.send("DELETE", `/contacts/${ids[1]}`);
  const { contacts } = await runScenario(crm, store);
  assert.deepEqual(
    contacts.map(({ id }) => id),
    [ids.at(-1), ids[0], ids[1]],
  );
});

test("two runs for one order create one task", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const settings = settingsOf(createTable, "2 HTTP: Make a request");
  const [first, second] = [
    await perform(crm, settings, { "1.orderNumber": "4711" }),
    await perform(crm, settings, { "1.orderNumber": "4711" }),
  ];
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(second.body, first.body);
  assert.equal((first.body.data as DemoRecord).title, "Confirm order 4711");
});

/** Follows the first table: the repeater, the filter, the request, the data store and the variable. */
async function runScenario(crm: { baseUrl: string; apiKey: string }, store: { updatedSince: string }) {
  const repeats = Number(settingsOf(readTable, "3 Flow control: Repeater").get("Repeats"));
  const request = settingsOf(readTable, "5 HTTP: Make a request");
  const stored = settingsOf(readTable, "7 Data store: Add/replace a record").get("updatedSince") ?? "";
  const [, header = ""] = /^\{\{get\(map\(5\.headers; "value"; "name"; "(.*)"\); 1\)\}\}$/.exec(stored) ?? [];
  const variable = settingsOf(readTable, "8 Tools: Set variable").get("cursor") ?? "";
  const [, last] = /^\{\{ifempty\(5\.data\.nextCursor; "(.*)"\)\}\}$/.exec(variable) ?? [];
  const { updatedSince } = store;
  const contacts: DemoRecord[] = [];
  let cursor = "";
  let pages = 0;
  for (; pages < repeats && cursor !== last; pages++) {
    const { body, headers } = await perform(crm, request, { "1.updatedSince": updatedSince, "4.cursor": cursor });
    contacts.push(...(body.data as DemoRecord[]));
    store.updatedSince = headers.get(header) ?? "";
    cursor = body.nextCursor ?? last ?? "";
  }
  return { pages, contacts };
}

function settingsOf(table: string, module: string): Map<string, string> {
  const rows = [...table.matchAll(/^\| (\d.*?) \| (.*?) \| `(.*)` \|$/gm)];
  return new Map(rows.flatMap(([, name, setting = "", value = ""]) => (name === module ? [[setting, value]] : [])));
}

async function perform(
  crm: { baseUrl: string; apiKey: string },
  settings: ReadonlyMap<string, string>,
  values: Readonly<Record<string, string>>,
) {
  const filled = [...settings].map(([setting, value]): [string, string] => [
    setting,
    value.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => values[name] ?? assert.fail(name)),
  ]);
  const startingWith = (prefix: string) =>
    filled.flatMap(([name, value]): [string, string][] =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value.replace("API_KEY", crm.apiKey)]] : [],
    );
  const { URL: url = "", Method: method = "", "Request content": body } = Object.fromEntries(filled);
  const target = url.replace("https://crm.example.com/integrations/v1", crm.baseUrl);
  const response = await fetch(`${target}?${new URLSearchParams(startingWith("Query "))}`, {
    method,
    headers: { ...Object.fromEntries(startingWith("Header ")), "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  assert.ok(response.ok, await response.clone().text());
  return { headers: response.headers, body: (await response.json()) as { data: unknown; nextCursor?: string | null } };
}
