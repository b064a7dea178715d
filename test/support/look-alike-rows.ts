import assert from "node:assert/strict";
import type { Records } from "../../lib/model/kinds.ts";
import { normalizeEmail, normalizeName } from "../../lib/model/normalize.ts";
import { type Storage, WriteConflict } from "../../lib/storage/storage.ts";

/** Number of further accounts, each with a zero-width space in its name. */
const count = 2_500;

const accounts: readonly (readonly [tenant: string, id: string, name: string, archivedAt: string])[] = [
  ["t", "a1", "Acme", "NULL"],
  ["t", "a2", "Ac\u200bme", "NULL"],
  ["t", "a3", "Glo\u00adbex", "NULL"],
  ["t", "a4", "Ac\u2060me", "2"],
  ["t", "a5", "Ini\u200btech", "NULL"],
  ["t", "a6", "Ini\u200ctech", "NULL"],
  ["u", "a1", "Ac\u200bme", "NULL"],
];

/** SQL that inserts rows of schema version 3, with the normalized values of that version. */
export const lookAlikeRows = `
  INSERT INTO tenants (tenant_id, id, name, created_at, updated_at) VALUES ('t', 't', 'T', 1, 1), ('u', 'u', 'U', 1, 1);
  INSERT INTO users (tenant_id, id, name, email, email_key, role, active, created_at, updated_at)
    VALUES ('t', 'u1', 'Ana', 'An\u200ba@x.test', 'an\u200ba@x.test', 'member', 1 = 1, 1, 2);
  INSERT INTO contacts (tenant_id, id, name, email, email_key, custom_fields, created_at, updated_at) VALUES
    ('t', 'c1', 'Carla', 'Carla@M\u00fcnchen.test', 'carla@m\u00fcnchen.test', '{}', 1, 2),
    ('t', 'c2', 'Unknown', NULL, NULL, '{}', 1, 2);
  INSERT INTO accounts (tenant_id, id, name, name_key, custom_fields, created_at, updated_at, archived_at) VALUES
    ${accounts.map(([tenant, id, name, at]) => `('${tenant}', '${id}', '${name}', '${name.toLowerCase()}', '{}', 1, 2, ${at})`)};
  INSERT INTO accounts (tenant_id, id, name, name_key, custom_fields, created_at, updated_at)
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count})
    SELECT 't', 'b' || number, 'Many\u200b ' || number, 'many\u200b ' || number, '{}', 1, 2 FROM numbers;`;

/** SQL that reads the unique values after the migration. */
export const selectKeys = `
  SELECT tenant_id, id, name AS value, name_key AS key, updated_at FROM accounts
  UNION ALL SELECT tenant_id, id, email, email_key, updated_at FROM contacts
  UNION ALL SELECT tenant_id, id, email, email_key, updated_at FROM users`;

export type KeyRow = {
  readonly tenant_id: string;
  readonly id: string;
  readonly value: string | null;
  readonly key: string | null;
  readonly updated_at: unknown;
};

/** Asserts that each row has its new normalized value, except `a2` and `a6`, whose new value another row has. */
export function assertNewKeys(rows: readonly KeyRow[]): void {
  assert.equal(rows.length, accounts.length + count + 3);
  const former = ["t a2", "t a6"];
  for (const { tenant_id, id, value, key, updated_at } of rows) {
    const normalize = /^[ab]/.test(id) ? normalizeName : normalizeEmail;
    const newKey = value === null ? null : normalize(value);
    assert.equal(key, former.includes(`${tenant_id} ${id}`) ? value?.toLowerCase() : newKey, `${tenant_id} ${id}`);
    assert.equal(Number(updated_at), 2);
  }
}

/** Asserts that `a2` can change and be archived and restored, but not take the name of `a1` in another spelling. */
export async function assertUpdatable(storage: Storage): Promise<void> {
  const update = async (changes: Partial<Records["account"]>): Promise<void> => {
    const before = await storage.get("t", "account", "a2");
    assert.ok(before);
    await storage.commit("t", 3, (updatedAt) => [
      {
        op: "update",
        kind: "account",
        record: { ...before, ...changes, updatedAt },
        expectedUpdatedAt: before.updatedAt,
      },
    ]);
  };
  await update({ phone: "1" });
  await update({ archivedAt: 3 });
  await update({ archivedAt: null });
  await assert.rejects(update({ name: "ACME\u200b" }), WriteConflict);
  await update({ name: "Other" });
  const found = await storage.list("t", "account", { where: { name: "o\u200bther" } });
  assert.deepEqual(
    found.map(({ id, phone }) => [id, phone]),
    [["a2", "1"]],
  );
}
