import assert from "node:assert/strict";
import { phoneDigits } from "../../lib/model/normalize.ts";
import type { Storage } from "../../lib/storage/storage.ts";

const phones = ["+47 55 01 23 45", "(0) 55-01/23 45 ext. 7", "n/a", "12", "٤٧ 5501234 ñ 5", "🎉1"];

/** SQL of contacts with these phone numbers in an older schema, one without a number and an archived one. */
export const phoneRows = `
  INSERT INTO tenants (tenant_id, id, name, created_at, updated_at) VALUES ('t', 't', 'Tenant', 1, 1);
  INSERT INTO contacts (tenant_id, id, name, phone, custom_fields, created_at, updated_at, archived_at) VALUES
    ${phones.map((phone, index) => `('t', 'c${index}', 'Åsa Öberg', '${phone}', '{}', 1, ${index + 1}, NULL),`).join("\n")}
    ('t', 'none', 'Åsa Öberg', NULL, '{}', 1, 90, NULL),
    ('t', 'archived', 'Åsa Öberg', '5501 2345', '{}', 1, 91, 91)`;

/** Asserts that a phone number and a search find the contacts. */
export async function assertFound(storage: Storage): Promise<void> {
  const idsOf = async (phone: string, includeArchived = false): Promise<readonly string[]> => {
    return (await storage.list("t", "contact", { where: { phone }, includeArchived })).map(({ id }) => id);
  };
  for (const [index, phone] of phones.entries())
    assert.deepEqual((await idsOf(phone)).includes(`c${index}`), phoneDigits(phone) !== "", phone);
  assert.deepEqual(await idsOf("55012345", true), ["c0", "c4", "archived"]);
  const hits = await storage.search("t", { words: ["oberg"], kinds: ["contact"], limit: 50 });
  assert.deepEqual(
    hits.map(({ id }) => id),
    ["none", ...phones.map((_, index) => `c${index}`).reverse()],
  );
}
