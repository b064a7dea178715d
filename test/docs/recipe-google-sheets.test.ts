import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { demoCrm, recipeCode } from "../support/recipes.ts";

const code = recipeCode("google-sheets", "js");

/** Fetches a URL in another process, because `UrlFetchApp.fetch` is synchronous. */
const fetchProgram = `
  const [url, headers] = JSON.parse(process.argv[1]);
  const response = await fetch(url, { headers });
  const text = await response.text();
  console.log(JSON.stringify({ ok: response.ok, headers: Object.fromEntries(response.headers), text }));
`;

test("the script copies all contacts, then only the changes", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const sheet = fakeSheet(crm.baseUrl, crm.apiKey);
  sheet.syncContacts();
  const [header, ...rows] = sheet.rows;
  assert.equal(header?.[0], "id");
  const all = await crm.send("GET", "/contacts?limit=200&includeArchived=true");
  assert.deepEqual(rows.map(([id]) => id).sort(), all.data.map(({ id }) => id).sort());

  const formula = { name: '=HYPERLINK("x")', phone: "+49 30 1" };
  await crm.send("POST", "/contacts", formula);
  await crm.send("PATCH", `/contacts/${rows[0]?.[0]}`, { name: "Renamed" });
  await crm.send("DELETE", `/contacts/${rows[1]?.[0]}`);
  sheet.syncContacts();
  assert.equal(sheet.rows.length, rows.length + 2);
  assert.equal(sheet.rows[1]?.[1], "Renamed");
  assert.match(sheet.rows[2]?.[6] ?? "", /^20/);
  assert.deepEqual(Array.from(sheet.rows.at(-1) ?? []).slice(1, 4), [formula.name, "", formula.phone]);
  assert.ok(sheet.urls.at(-1)?.includes("updatedSince="));
});

test("after a failure in the middle of a sync, the script misses nothing", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const contacts = Array.from({ length: 250 }, (_, index) => ({ name: `Contact ${index}` }));
  for (let at = 0; at < contacts.length; at += 50)
    await Promise.all(contacts.slice(at, at + 50).map((contact) => crm.send("POST", "/contacts", contact)));
  const sheet = fakeSheet(crm.baseUrl, crm.apiKey);
  sheet.failAtFetch = 2;
  assert.throws(() => sheet.syncContacts(), /no connection/);
  assert.equal(sheet.rows.length, 201);
  sheet.syncContacts();
  const names = new Set(sheet.rows.map(([, name]) => name));
  assert.equal(new Set(sheet.rows.map(([id]) => id)).size, sheet.rows.length);
  assert.deepEqual(
    contacts.filter(({ name }) => !names.has(name)),
    [],
  );
});

/** Loads the script with fakes of Google's services. */
function fakeSheet(baseUrl: string, apiKey: string) {
  const properties = new Map([
    ["CRM_URL", baseUrl],
    ["CRM_API_KEY", apiKey],
  ]);
  const state = { rows: [] as string[][], urls: [] as string[], failAtFetch: 0 };
  const sheet = {
    getLastRow: () => state.rows.length,
    appendRow: (row: string[]) => state.rows.push(row.map(cellOf)),
    getRange: (row: number, column: number, rows: number, columns: number) => ({
      getValues: () =>
        state.rows.slice(row - 1, row - 1 + rows).map((cells) => cells.slice(column - 1, column - 1 + columns)),
      setValues: (values: string[][]) => state.rows.splice(row - 1, rows, ...values.map((cells) => cells.map(cellOf))),
    }),
  };
  const context = {
    LockService: { getScriptLock: () => ({ tryLock: () => true, releaseLock: () => {} }) },
    PropertiesService: {
      getScriptProperties: () => ({
        getProperty: (name: string) => properties.get(name) ?? null,
        setProperty: (name: string, value: string) => properties.set(name, value),
      }),
    },
    SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }), flush: () => {} },
    UrlFetchApp: {
      fetch(url: string, { headers }: { headers: Readonly<Record<string, string>> }) {
        state.urls.push(url);
        if (state.urls.length === state.failAtFetch) throw new Error("no connection");
        const args = ["--input-type=module", "--eval", fetchProgram, JSON.stringify([url, headers])];
        const result = JSON.parse(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout);
        if (!result.ok) throw new Error(result.text);
        return { getContentText: () => result.text, getAllHeaders: () => result.headers };
      },
    },
  };
  const syncContacts = runInNewContext(`${code}\nsyncContacts`, context) as () => void;
  return Object.assign(state, { syncContacts });
}

/** Returns what a cell contains after this text is written: an apostrophe is removed, and a formula is computed. */
function cellOf(text: string): string {
  if (text.startsWith("'")) return text.slice(1);
  return /^[=+]/.test(text) ? "#ERROR!" : text;
}
