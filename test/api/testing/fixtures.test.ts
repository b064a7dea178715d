import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { fixtureFile, fixtures, fixtureText } from "../../fixtures.ts";
import { sequentialIds, testCrm } from "../../support/harness.ts";
import { serving } from "../../support/program.ts";
import { dataOf } from "../../support/responses.ts";
import { crmIntegrations } from "../../support/run-program.ts";
import { freshStorage } from "../../support/storages.ts";

type Record = Readonly<{ [name: string]: unknown }> & { readonly id: string };

async function crmOf(name: string) {
  const crm = await testCrm([]);
  const { keys } = await loadTenantFile(crm.storage, fixtures[name], { clock: crm.clock, newId: sequentialIds() });
  const key = keys[0]?.key ?? "";
  return { ...crm, call: (method: string, path: string, body?: unknown) => crm.send(method, path, { key, body }) };
}

test("the tenant files for tests are up to date; npm run fixtures writes them", () => {
  for (const [name, file] of Object.entries(fixtures)) {
    assert.ok(readFileSync(fixtureFile(name), "utf8") === fixtureText(file), `fixtures/${name}.json is not current`);
  }
});

test("minimal has the references that creates need", async () => {
  const { call, api } = await crmOf("minimal");
  for (const path of ["/accounts", "/contacts", "/opportunities"]) {
    assert.equal((await call("POST", path, { name: "First" })).status, 201, path);
  }
  assert.equal((await call("POST", "/tasks", { title: "First" })).status, 201);
  await api.close();
});

test("custom-fields has every type on every entity, and records from before and after", async () => {
  const { call, api } = await crmOf("custom-fields");
  for (const entity of ["account", "contact", "opportunity"]) {
    const catalog = dataOf<Record[]>(await call("GET", `/custom-fields?entity=${entity}`));
    const types = new Set(catalog.map(({ type }) => type));
    assert.deepEqual([catalog.length, types.size], [10, 6]);
  }
  const accounts = dataOf<Record[]>(await call("GET", "/accounts"));
  assert.deepEqual(
    accounts.map(({ customFields }) => Object.keys(customFields as object).length),
    [9, 2, 0],
  );
  for (const { id, customFields } of accounts) {
    assert.equal((await call("PATCH", `/accounts/${id}`, { customFields })).status, 200);
  }
  await api.close();
});

test("sync-torture is read completely in pages of any size, though 1,001 of its tasks share an updatedAt", async () => {
  const { call, api, clock } = await crmOf("sync-torture");
  for (const limit of [7, 200]) {
    clock.advance(60_000);
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = `limit=${limit}&includeArchived=true${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = (await call("GET", `/tasks?${query}`)).body as { data: Record[]; nextCursor: string | null };
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual([found.length, new Set(found).size], [1006, 1006]);
  }
  await api.close();
});

test("two-tenants loads two files", async (t) => {
  const { greeting } = await serving(t, "--fixtures", "two-tenants");
  assert.equal(new Set(greeting.keys.map(({ tenant }) => tenant)).size, 2);
});

test("generate prints the same loadable tenant of the requested size for the same seed", async () => {
  const [one, same, other] = await Promise.all(
    [7, 7, 8].map((seed) => crmIntegrations("generate", "--accounts", "50", "--seed", String(seed))),
  );
  assert.ok(one?.stdout === same?.stdout && one?.stdout !== other?.stdout);
  const file = JSON.parse(one?.stdout ?? "") as { [list: string]: unknown[] };
  assert.deepEqual(
    ["accounts", "contacts", "opportunities", "tasks"].map((name) => file[name]?.length),
    [50, 100, 50, 150],
  );
  const storage = await freshStorage();
  const clock = { now: () => Date.parse("2026-03-01T12:00:00.000Z") };
  for (const text of [one?.stdout, other?.stdout]) {
    const { created, keys } = await loadTenantFile(storage, JSON.parse(text ?? ""), { clock, newId: sequentialIds() });
    assert.deepEqual([created, keys.length], [true, 1]);
  }
  await storage.close();
});
