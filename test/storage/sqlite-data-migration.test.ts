import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import Database from "better-sqlite3";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { openWriter } from "../../lib/storage/sqlite/open.ts";
import { applicationId } from "../../lib/storage/sqlite/preflight.ts";
import { assertNewKeys, assertUpdatable, type KeyRow, lookAlikeRows, selectKeys } from "../support/look-alike-rows.ts";
import { assertFound, phoneRows } from "../support/phone-rows.ts";
import { assertSplit, type RuleRow } from "../support/split-rules.ts";

const root = mkdtempSync(join(tmpdir(), "crm-rules-"));
after(() => rmSync(root, { recursive: true }));

/** Returns a new file of schema version 3, and a connection to it. */
function openVersion3(): { readonly file: string; readonly database: Database.Database } {
  const file = join(mkdtempSync(join(root, "file-")), "crm.db");
  const database = new Database(file);
  database.exec(readFileSync(join(import.meta.dirname, "../schemas/3.sql"), "utf8"));
  database.pragma(`application_id = ${applicationId}`);
  database.pragma("user_version = 3");
  database.prepare("INSERT INTO settings (name, value) VALUES ('cursor_secret', ?)").run(Buffer.alloc(32));
  return { file, database };
}

test("a rule with stages and statuses becomes two rules", () => {
  const { file, database: old } = openVersion3();
  old.exec("INSERT INTO tenants VALUES ('t', 't', 'Tenant', 1, 1, NULL)");
  const insertRule = old.prepare(`INSERT INTO rules VALUES ('t', ?, 'opportunity', 'amount', ?, 1, 2, NULL)`);
  const both = { stageIds: ["s"], statuses: ["won"] };
  for (const [id, when] of [
    ["both", both],
    ["stage", { stageIds: ["s"] }],
    ["always", null],
  ] as const)
    insertRule.run(id, when && JSON.stringify(when));
  old.close();
  const migrated = openWriter(file);
  const rows = migrated.prepare<[], RuleRow>(`SELECT id, "when", created_at, updated_at FROM rules`).all();
  migrated.close();
  assertSplit(rows);
});

test("the migration normalizes unique values again, except one that another record has", async () => {
  const { file, database: old } = openVersion3();
  old.exec(lookAlikeRows);
  old.close();
  const migrated = openWriter(file);
  const rows = migrated.prepare<[], KeyRow>(selectKeys).all();
  migrated.close();
  assertNewKeys(rows);
  const storage = sqliteStorage({ file });
  await assertUpdatable(storage);
  await storage.close();
});

test("the migration indexes the words and phone numbers of existing records", async () => {
  const { file, database: old } = openVersion3();
  old.exec(phoneRows);
  old.close();
  const storage = sqliteStorage({ file });
  await assertFound(storage);
  await storage.close();
});
