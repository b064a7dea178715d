import assert from "node:assert/strict";
import { searchedKinds, searchWords } from "../../model/search-words.ts";
import type { RecordValues } from "../query-matching.ts";
import { comparePosition, matchWords } from "../query-matching.ts";
import type { SearchHit, SearchQuery, Storage } from "../storage.ts";
import type { TestFunctions } from "./harness.ts";
import { createTenant, idOf, insertWrite, newAccount, newContact, startTime, updateWrite } from "./records.ts";

const names = [
  "Åsa Öberg",
  "Asad Obermann",
  "asa",
  "Müller & Söhne",
  "MULLER",
  "المتجر",
  "O'Neil AND NEAR",
  "日本 商事",
];
const phones = ["+47 55 01 23 45", "55012345", null];

/** Creates a tenant with accounts and contacts whose names, phones and archive states vary. */
async function fill(storage: Storage, number: number): Promise<string> {
  const tenant = await createTenant(storage, number);
  for (let index = 1; index <= 60; index++) {
    const name = `${names[(index * 7) % names.length]} ${names[(index * 3) % names.length]} ${index}`;
    const id = idOf(number, index);
    const phone = phones[index % phones.length] ?? null;
    await storage.commit(tenant, startTime, (at) => {
      const archivedAt = index % 9 === 0 ? at : null;
      if (index % 2 === 0) return [insertWrite("account", newAccount(id, at, { name, phone, archivedAt }))];
      const email = `person${index}@acme.test`;
      return [insertWrite("contact", newContact(id, at, { name, phone, email, archivedAt }))];
    });
  }
  return tenant;
}

/** Finds records by reading all of them. */
async function scan(storage: Storage, tenant: string, { words, kinds, limit }: SearchQuery): Promise<SearchHit[]> {
  const lists = kinds.map(async (kind) => {
    const records = (await storage.list(tenant, kind, {})) as unknown as readonly RecordValues[];
    return records.map((record) => ({ kind, record, match: matchWords(record, words) }));
  });
  const found = (await Promise.all(lists)).flat().filter(({ match }) => match !== undefined);
  const rank = ({ match }: { match: unknown }): number => (match === "whole" ? 0 : 1);
  found.sort((a, b) => rank(a) - rank(b) || comparePosition(b.record, a.record));
  return found.slice(0, limit).map(({ kind, record }) => ({ kind, id: record.id }));
}

/** Declares the tests of `search`. */
export function searchContract({ test }: TestFunctions): void {
  test("search() finds the same records in the same order as a scan", async (storage) => {
    const [tenant] = [await fill(storage, 1), await fill(storage, 2)];
    const all = searchWords({ name: names.join(" "), phone: "+47 55 01 23 45", email: "person1@acme.test" });
    const queries = all.flatMap((word, index) => [[word], [word.slice(0, 2)], [word.slice(0, 1), `${index}`]]);
    for (const words of queries) {
      for (const query of [
        { words, kinds: searchedKinds, limit: 50 },
        { words, kinds: ["contact"] as const, limit: 3 },
      ])
        assert.deepEqual(await storage.search(tenant, query), await scan(storage, tenant, query), words.join(" "));
    }
  });

  test("search() finds a record by its new words, and not by its old ones or after it was archived", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const find = async (word: string): Promise<readonly string[]> => {
      const hits = await storage.search(tenant, { words: [word], kinds: searchedKinds, limit: 10 });
      return hits.map(({ id }) => id);
    };
    const change = async (changes: { name?: string; archivedAt?: number | null }): Promise<void> => {
      const record = await storage.get(tenant, "account", idOf(1, 1));
      assert.ok(record);
      await storage.commit(tenant, startTime, (at) => [updateWrite("account", record, { ...changes, updatedAt: at })]);
    };
    const created = (at: number) => insertWrite("account", newAccount(idOf(1, 1), at, { name: "Before" }));
    await storage.commit(tenant, startTime, (at) => [created(at)]);
    assert.deepEqual(await find("before"), [idOf(1, 1)]);
    await change({ name: "Later" });
    assert.deepEqual([await find("before"), await find("lat")], [[], [idOf(1, 1)]]);
    await change({ archivedAt: startTime });
    assert.deepEqual(await find("later"), []);
    await change({ archivedAt: null });
    assert.deepEqual(await find("later"), [idOf(1, 1)]);
  });

  test("search() reads only records of the tenant, even if another one has the same IDs", async (storage) => {
    const ids = [1, 2, 3].map((index) => idOf(9, index));
    const tenants = [await createTenant(storage, 1), await createTenant(storage, 2)];
    const find = async (tenant: string, word: string): Promise<readonly string[]> => {
      const hits = await storage.search(tenant, { words: [word], kinds: searchedKinds, limit: 10 });
      return hits.map(({ id }) => id);
    };
    for (const [index, tenant] of tenants.entries()) {
      for (const id of index === 0 ? ids : ids.toReversed())
        await storage.commit(tenant, startTime, (at) => [insertWrite("contact", newContact(id, at, { name: "Same" }))]);
    }
    const [one = "", two = ""] = tenants;
    assert.deepEqual([await find(one, "same"), await find(two, "same")], [ids.toReversed(), ids]);
    for (const tenant of tenants) {
      const record = await storage.get(tenant, "contact", idOf(9, 2));
      assert.ok(record);
      await storage.commit(tenant, startTime, (at) => [
        updateWrite("contact", record, { ...record, name: "Renamed", updatedAt: at }),
      ]);
      assert.deepEqual([(await find(tenant, "same")).length, await find(tenant, "renamed")], [2, [idOf(9, 2)]]);
    }
  });

  test("search() returns nothing of another tenant", async (storage) => {
    const tenant = await fill(storage, 1);
    const other = await createTenant(storage, 2);
    const query = { words: ["asa"], kinds: searchedKinds, limit: 10 };
    assert.equal((await storage.search(tenant, query)).length > 0, true);
    assert.deepEqual(await storage.search(other, query), []);
  });
}
