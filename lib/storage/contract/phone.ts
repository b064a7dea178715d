import assert from "node:assert/strict";
import type { Storage } from "../storage.ts";
import { listAndCheckJson } from "./checked-reads.ts";
import type { TestFunctions } from "./harness.ts";
import { createTenant, idOf, insertWrite, newAccount, newContact, startTime, updateWrite } from "./records.ts";

/** Beginnings and endings that many numbers share. */
const starts = ["", "+47 ", "0047", "+1 (555) ", "ext. ", "۴۷", "0", "9"];
const ends = ["55 01 23 45", "5501-2345", "501.2345", "012345", "12345", "0", "", "n/a", "44/5501 2345", "%_5012345"];

/** Creates a tenant with accounts and contacts whose phone numbers and archive states vary. */
async function fill(storage: Storage, number: number): Promise<string> {
  const tenant = await createTenant(storage, number);
  const phones = [null, ...starts.flatMap((start) => ends.map((end) => start + end))];
  await storage.commit(tenant, startTime, (at) =>
    phones.flatMap((phone, index) => {
      const archivedAt = index % 5 === 0 ? at : null;
      const contact = newContact(idOf(number, 500 + index), at, { phone, archivedAt });
      return [
        insertWrite("account", newAccount(idOf(number, 1 + index), at, { name: `${index}`, phone, archivedAt })),
        insertWrite("contact", contact),
      ];
    }),
  );
  return tenant;
}

function matches(phone: string | null, wanted: string): boolean {
  const digits = [...(phone ?? "")].filter((character) => character >= "0" && character <= "9").join("");
  return digits !== "" && (digits === wanted || (wanted.length >= 7 && digits.endsWith(wanted)));
}

/** Declares the tests of the filter `phone`. */
export function phoneContract({ test }: TestFunctions): void {
  test("list() with a phone finds the same records as a scan", async (storage) => {
    const [tenant] = [await fill(storage, 1), await fill(storage, 2)];
    const all = ["4755012345", "004755012345", "155555012345", "4455012345", "955012345", "12345", "0"];
    const wanted = new Set(all.flatMap((digits) => [...digits].map((_, index) => digits.slice(index))));
    for (const kind of ["account", "contact"] as const) {
      const records = await storage.list(tenant, kind, { includeArchived: true });
      for (const phone of [...wanted, "99", "999955012345"]) {
        const found = records.filter((record) => matches(record.phone, phone));
        const active = found.filter(({ archivedAt }) => archivedAt === null);
        const list = (query: object) => listAndCheckJson(storage, tenant, kind, { where: { phone }, ...query });
        assert.deepEqual(await list({ includeArchived: true }), found, phone);
        assert.deepEqual(await list({}), active, phone);
        assert.deepEqual(await list({ limit: 2, after: active[0] }), active.slice(1, 3), phone);
      }
    }
  });

  test("list() with a phone sees the current number", async (storage) => {
    const tenant = await createTenant(storage, 1);
    const insert = (at: number) => insertWrite("contact", newContact(idOf(1, 1), at, { phone: "+47 55 01 23 45" }));
    await storage.commit(tenant, startTime, (at) => [insert(at)]);
    const find = async (phone: string) => (await storage.list(tenant, "contact", { where: { phone } })).length;
    const change = async (phone: string | null): Promise<void> => {
      const record = await storage.get(tenant, "contact", idOf(1, 1));
      assert.ok(record);
      await storage.commit(tenant, startTime, (at) => [
        updateWrite("contact", record, { ...record, phone, updatedAt: at }),
      ]);
    };
    assert.deepEqual([await find("55012345"), await find("55019999")], [1, 0]);
    await change("0047 55 01 99 99");
    assert.deepEqual([await find("55012345"), await find("55019999")], [0, 1]);
    await change(null);
    assert.deepEqual([await find("55012345"), await find("55019999")], [0, 0]);
  });
}
