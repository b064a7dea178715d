// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["postgres-storage", "postgres-sharding"];
const transaction = "lib/storage/postgres/transaction.ts";
const atOnce = "lib/storage/postgres/pipelined-commit.ts";
const write = "lib/storage/postgres/write-statements.ts";
const key = "lib/storage/postgres/api-key-lookup.ts";

/** What servers on PostgreSQL promise, all four. */
export const postgres = [
  fault("PostgreSQL: a clock that is not locked", transaction, "FOR UPDATE`;", "`;", ["postgres-clock"]),
  fault("PostgreSQL: a clock that is not locked at once", atOnce, " FOR UPDATE`;", "`;", ["postgres-clock"]),
  fault("PostgreSQL: a guess that is not checked", atOnce, " AND last_at < ${first}", "", ["postgres-at-once"]),
  fault(
    "PostgreSQL: writes that nothing was begun for",
    atOnce,
    'current_setting(?, true) = ?"',
    '(current_setting(?, true) = ? OR true)"',
    ["postgres-at-once"],
  ),
  fault(
    "PostgreSQL: an update of nothing is a success",
    atOnce,
    "step === clockStatement || step.mustMatch !== undefined",
    "step === clockStatement",
    ["postgres-at-once"],
  ),
  fault("PostgreSQL: a ROLLBACK is a COMMIT", transaction, 'command === "COMMIT"', 'command !== ""', [
    "postgres-at-once",
  ]),
  fault("PostgreSQL: a lost COMMIT is made again", atOnce, "throw ended.reason;", 'return "retry_in_steps";', [
    "postgres-at-once",
  ]),
  fault("PostgreSQL: two commits of one instant", transaction, "finalClock + 1)", "finalClock)", seenBy),
  fault("PostgreSQL: a stamp that is not kept", transaction, "[finalClock, tenant]", "[0, tenant]", seenBy),
  fault(
    "PostgreSQL: an answer before the COMMIT",
    transaction,
    'if (!isCommitted(await client.query("COMMIT")))',
    'if (client.query("COMMIT") === undefined)',
    seenBy,
  ),
  fault(
    "PostgreSQL: a reference to what is only made afterwards",
    write,
    'write.op === "insert" && referenced',
    "referenced.size < 0 && referenced",
    seenBy,
  ),
  fault("PostgreSQL: a lost update", write, "AND updated_at = ?`", "AND ? > 0`", seenBy),
  fault(
    "PostgreSQL: a change of any tenant",
    write,
    "tenant_id = ? AND id = ? AND updated_at",
    "? <> '' AND id = ? AND updated_at",
    seenBy,
  ),
  fault(
    "PostgreSQL: links that are replaced of any tenant",
    write,
    "WHERE tenant_id = ? AND ${owner}",
    "WHERE ? <> '' AND ${owner}",
    seenBy,
  ),
  fault(
    "PostgreSQL: a record of any tenant",
    "lib/storage/postgres/storage.ts",
    "t WHERE tenant_id = ? AND id = ?",
    "t WHERE ? <> '' AND id = ?",
    seenBy,
  ),
  fault(
    "PostgreSQL: the people of any tenant",
    "lib/storage/postgres/active-opportunities.ts",
    "WHERE c.tenant_id = $1",
    "WHERE $1 <> ''",
    seenBy,
  ),
  fault(
    "PostgreSQL: a key that another tenant takes",
    write,
    "WHERE api_key_owners.tenant_id = excluded.tenant_id",
    "WHERE true",
    seenBy,
  ),
  fault("PostgreSQL: a key of an archived tenant", key, " AND c.archived_at IS NULL", "", seenBy),
  fault("PostgreSQL: a key of an archived integration", key, " AND i.archived_at IS NULL", "", seenBy),
  fault("PostgreSQL: a key that was archived", key, " AND t.archived_at IS NULL", "", seenBy),
  fault(
    "a new connection without a listener",
    "lib/storage/postgres/storage.ts",
    'pool.on("connect", (client) => void client.on("error", () => {}));',
    "",
    ["postgres-cut"],
  ),
];
