// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const seenBy = ["postgres-storage", "postgres-sharding"];
const transaction = "lib/storage/postgres/transaction.ts";
const group = "lib/storage/postgres/group-commit.ts";
const queue = "lib/storage/postgres/commit-queue.ts";
const write = "lib/storage/postgres/write-statements.ts";
const key = "lib/storage/postgres/api-key-lookup.ts";

/** Faults in all four promises on PostgreSQL. */
export const postgres = [
  ...faults(transaction, seenBy, [
    ["PostgreSQL: a clock that is not locked", "FOR UPDATE`;", "`;", "postgres-clock"],
    ["PostgreSQL: a commit after a newer version's migration", "assertSchemaKnown(", "void (", "postgres-newer-schema"],
    [
      "PostgreSQL: a ROLLBACK counts as a COMMIT",
      'response.command !== "COMMIT"',
      'response.command === ""',
      "postgres-group-faults",
    ],
    [
      "PostgreSQL: a lost COMMIT counts as a success",
      "throw ended.reason;",
      'return { command: "COMMIT" } as QueryResult;',
      "postgres-group-faults",
    ],
    ["PostgreSQL: two commits with one commit time", "finalClock + 1)", "finalClock)"],
    ["PostgreSQL: a commit time that isn't stored", "[finalClock, tenant]", "[0, tenant]"],
    [
      "PostgreSQL: a response before the COMMIT",
      'const commit = () => client.query("COMMIT");',
      'const commit = async () => (client.query("COMMIT"), { command: "COMMIT" } as QueryResult);',
    ],
  ]),
  ...faults(group, "postgres-groups", [
    ["PostgreSQL: a clock that a group doesn't lock", "FOR UPDATE OF c SKIP LOCKED", "", "postgres-clock"],
    ["PostgreSQL: a guess that isn't checked", " AND l.last_at < l.first", ""],
    ["PostgreSQL: rows of a tenant whose guess is wrong", "ON r.tenant_id = m.tenant_id`", "ON true`"],
    ["PostgreSQL: a group after a newer version's migration", " AND ${isKnownSchema}", "", "postgres-newer-schema"],
    ["PostgreSQL: a group that updates records of any tenant", "t.tenant_id = r.tenant_id AND ", "", seenBy],
    [
      "PostgreSQL: a locked group that wrote nothing",
      "rows[0]?.is_committed !== true",
      "rows.length > 1",
      "postgres-newer-schema",
    ],
    ["PostgreSQL: a stale update in a group", "THEN 1 ELSE 0 END", "THEN 1 ELSE 1 END", "postgres-group-faults"],
    ["PostgreSQL: a record twice in a group", " || this.#written.has(name)", ""],
    ["PostgreSQL: a reference to a later record in a group", "this.#referenced.has(name)", "false"],
    ["PostgreSQL: a unique value that a later write frees", "tables[kind].uniques.length > 0", "false", seenBy],
  ]),
  ...faults("lib/storage/postgres/array-parameters.ts", "postgres-arrays", [
    ["PostgreSQL: times without their upper half", "buffer.writeInt32BE(high, at)", "buffer.writeInt32BE(0, at)"],
  ]),
  ...faults("lib/storage/postgres/migrate.ts", "postgres-newer-schema", [
    ["PostgreSQL: a commit during a migration", "LOCK TABLE tenant_clocks IN EXCLUSIVE MODE", "SELECT 1"],
  ]),
  ...faults(queue, "postgres-group-faults", [
    ["PostgreSQL: a group without response runs again", "if (isRolledBack(error))", "if (error)"],
  ]),
  ...faults(write, seenBy, [
    [
      "PostgreSQL: a reference to a record that is inserted later",
      'write.op === "insert" && referenced',
      "referenced.size < 0 && referenced",
    ],
    ["PostgreSQL: a lost update", "AND updated_at = ?`", "AND ? > 0`"],
    [
      "PostgreSQL: an update in any tenant",
      "tenant_id = ? AND id = ? AND updated_at",
      "? <> '' AND id = ? AND updated_at",
    ],
    ["PostgreSQL: replaced links of any tenant", "WHERE tenant_id = ? AND ${owner}", "WHERE ? <> '' AND ${owner}"],
    [
      "PostgreSQL: a key that another tenant takes",
      "WHERE api_key_owners.tenant_id = excluded.tenant_id",
      "WHERE true",
    ],
  ]),
  ...faults("lib/storage/postgres/record-lookup.ts", seenBy, [
    ["PostgreSQL: a record of any tenant", "t WHERE tenant_id = ? AND id = ?", "t WHERE ? <> '' AND id = ?"],
    ["PostgreSQL: an idempotency record of any tenant", "t.tenant_id = wanted.tenant_id AND ", "", "postgres-together"],
  ]),
  ...faults("lib/storage/postgres/storage.ts", seenBy, [
    [
      "a new connection without a listener",
      'pool.on("connect", (client) => void client.on("error", () => {}));',
      "",
      "postgres-cut",
    ],
  ]),
  ...faults("lib/storage/postgres/active-opportunities.ts", seenBy, [
    ["PostgreSQL: contacts of any tenant", "WHERE c.tenant_id = $1", "WHERE $1 <> ''"],
  ]),
  ...faults(key, seenBy, [
    ["PostgreSQL: a key of an archived tenant", " AND c.archived_at IS NULL", ""],
    ["PostgreSQL: a key of an archived integration", " AND i.archived_at IS NULL", ""],
    ["PostgreSQL: a key that was archived", " AND t.archived_at IS NULL", ""],
  ]),
];
