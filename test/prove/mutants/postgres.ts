// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["postgres-storage", "postgres-sharding"];
const transaction = "lib/storage/postgres/transaction.ts";
const group = "lib/storage/postgres/group-commit.ts";
const queue = "lib/storage/postgres/commit-queue.ts";
const write = "lib/storage/postgres/write-statements.ts";
const key = "lib/storage/postgres/api-key-lookup.ts";

/** Faults in all four promises on PostgreSQL. */
export const postgres = [
  fault("PostgreSQL: a clock that is not locked", transaction, "FOR UPDATE`;", "`;", ["postgres-clock"]),
  fault("PostgreSQL: a clock that a group doesn't lock", group, "FOR UPDATE OF c SKIP LOCKED", "", ["postgres-clock"]),
  fault("PostgreSQL: a guess that isn't checked", group, " AND l.last_at < l.first", "", ["postgres-groups"]),
  fault("PostgreSQL: rows of a tenant whose guess is wrong", group, "ON r.tenant_id = m.tenant_id`", "ON true`", [
    "postgres-groups",
  ]),
  fault("PostgreSQL: a group after a newer version's migration", group, " AND ${isKnownSchema}", "", [
    "postgres-newer-schema",
  ]),
  fault("PostgreSQL: a commit after a newer version's migration", transaction, "assertSchemaKnown(", "void (", [
    "postgres-newer-schema",
  ]),
  fault(
    "PostgreSQL: a commit during a migration",
    "lib/storage/postgres/migrate.ts",
    "LOCK TABLE tenant_clocks IN EXCLUSIVE MODE",
    "SELECT 1",
    ["postgres-newer-schema"],
  ),
  fault("PostgreSQL: a group that updates records of any tenant", group, "t.tenant_id = r.tenant_id AND ", "", seenBy),
  fault("PostgreSQL: a group of a tenant without a clock", transaction, "clock !== undefined && ", "", seenBy),
  fault("PostgreSQL: a locked group that wrote nothing", group, "rows[0]?.is_committed !== true", "rows.length > 1", [
    "postgres-newer-schema",
  ]),
  fault("PostgreSQL: a stale update in a group", group, "THEN 1 ELSE 0 END", "THEN 1 ELSE 1 END", [
    "postgres-group-faults",
  ]),
  fault("PostgreSQL: a record twice in a group", group, " || this.#written.has(name)", "", ["postgres-groups"]),
  fault("PostgreSQL: a reference to a later record in a group", group, "this.#referenced.has(name)", "false", [
    "postgres-groups",
  ]),
  fault(
    "PostgreSQL: a unique value that a later write frees",
    group,
    "tables[kind].uniques.length > 0",
    "false",
    seenBy,
  ),
  fault("PostgreSQL: a group without response runs again", queue, "if (isRolledBack(error))", "if (error)", [
    "postgres-group-faults",
  ]),
  fault("PostgreSQL: a ROLLBACK is a COMMIT", transaction, 'response.command !== "COMMIT"', 'response.command === ""', [
    "postgres-group-faults",
  ]),
  fault(
    "PostgreSQL: a lost COMMIT is a success",
    transaction,
    "throw ended.reason;",
    'return { command: "COMMIT" } as QueryResult;',
    ["postgres-group-faults"],
  ),
  fault("PostgreSQL: two commits of one instant", transaction, "finalClock + 1)", "finalClock)", seenBy),
  fault("PostgreSQL: a commit time that isn't stored", transaction, "[finalClock, tenant]", "[0, tenant]", seenBy),
  fault(
    "PostgreSQL: a response before the COMMIT",
    transaction,
    'const commit = () => client.query("COMMIT");',
    'const commit = async () => (client.query("COMMIT"), { command: "COMMIT" } as QueryResult);',
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
