// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const seenBy = ["idempotency", "idempotency-parallel", "idempotency-parallel-posts"];

/** A POST happens once, whatever crashes. */
export const once = [
  ...faults("lib/api/run-endpoint.ts", seenBy, [
    [
      "an idempotency record in its own commit",
      "return [...logged, storeResponseWrite(idempotent, stored, at, now, expired)];",
      `const record = () =>
      context.storage.commit(caller.tenantId, now, (then) => [storeResponseWrite(idempotent, stored, then, now, expired)]);
    setImmediate(() => record().catch(() => {}));
    return logged;`,
      [...seenBy, "prove/exactly-once"],
    ],
    [
      "a stale request that isn't handled again",
      "if (conflict !== undefined && isRetryable(endpoint, conflict, last)) {",
      "if (false) {",
    ],
    [
      "no idempotency record",
      "return [...logged, storeResponseWrite(",
      "if (idempotent) return logged; return [...logged, storeResponseWrite(",
    ],
    [
      "an expired stored response is taken for a new one",
      "if (latest === undefined || latest.updatedAt === stored?.updatedAt) throw apiError;",
      "if (latest === undefined) throw apiError;",
      "idempotency",
    ],
  ]),
  ...faults("lib/api/idempotency.ts", seenBy, [
    ["a key that forgets the path", "[method, path, ", "[method, "],
    [
      "one key for all integrations",
      "`${ownerOf(caller)}:${key}`",
      "`${key}`",
      ["idempotency", "idempotency-parallel-posts", "prove/isolated-alone"],
    ],
    [
      "a failed read of a stored response that ends the process",
      "found.catch(() => {});",
      "",
      "idempotency-authentication",
    ],
    ["any body under one key", "isSameRequest(record.fingerprint, request)", "true"],
    [
      "a key used again for another request",
      'throw new ApiError("idempotency_key_reused", message, { details: { method: "POST", path, usedAt } });',
      "",
    ],
    ["a key that never expires", "record.createdAt + idempotencyWindowMs <= now", "false"],
  ]),
  ...faults(
    "lib/storage/sqlite/transaction-runner.ts",
    ["sqlite-storage", "sqlite-synced"],
    [
      ["a response before the commit", "      this.#commit.run();", "      setImmediate(() => this.#commit.run());"],
      ["a lost update", "AND id = ? AND updated_at = ?`", "AND id = ? AND ? IS NOT NULL`", "sqlite-storage"],
      [
        "a failed COMMIT counts as successful",
        "return jobs.map(() => ({ error: toStorageUnavailable(error) }));",
        "return jobs.map(() => ({ changes: 1 }));",
        "sqlite-fault",
      ],
      ["a commit that is rejected halfway", "hasFailed(result) && this.#writer.isPartial", "false", "sqlite-batches"],
      ["a commit after a newer version's migration", "assertSchemaKnown(Number", "void (Number", "sqlite-newer-schema"],
      ["a deferred transaction", '"BEGIN IMMEDIATE"', '"BEGIN"', ["sqlite-lock", "sqlite-synced", "sqlite-storage"]],
    ],
  ),
  ...faults(
    "lib/api/conditional-requests.ts",
    ["conditional-requests", "client-writes"],
    [
      [
        "an If-Match that is not compared",
        'if (ifMatch === undefined || matches(ifMatch, `"${version}"`)) return;',
        "return;",
      ],
      ["an ETag of a custom field", 'body.lastIndexOf(\'"updatedAt":"\')', 'body.indexOf(\'"updatedAt":"\')', "etag"],
    ],
  ),
  ...faults(
    "lib/storage/sqlite/open.ts",
    ["sqlite-synced", "sqlite-storage"],
    [
      ["synchronous=NORMAL", 'synchronous = FULL"', 'synchronous = NORMAL"'],
      [
        "a lock that stops the event loop",
        'database.pragma("busy_timeout = 0");',
        'database.pragma("busy_timeout = 5000");',
        "sqlite-lock",
      ],
      [
        "a statement journal in a temporary folder",
        'database.pragma("temp_store = MEMORY");\n  const mode',
        "const mode",
        "prove/scarce-resources",
      ],
      ["a start on a changed schema", "      assertSchema(database);\n", "", "sqlite-schema"],
      ["a migration of a changed schema", "() => assertSchema(database)", "() => {}", "program-migrate"],
    ],
  ),
  ...faults("lib/storage/sql/table.ts", "sqlite-updates", [
    ["an update that sets the key", "keyLength = 2;", "keyLength = 0;"],
  ]),
  ...faults(
    "lib/storage/sqlite/restore.ts",
    ["sqlite-schema", "sqlite-restore-rejected"],
    [["a backup with a changed schema", "findSchemaErrors(copy)", "[] as string[]"]],
  ),
  ...faults("lib/client/transport.ts", "client-responses", [
    ["a redirect that is followed", 'redirect: "manual"', 'redirect: "follow"'],
    ["a truncated response", 'if (typeof body === "object" && body !== null) return', "if (status > 0) return"],
  ]),
  ...faults("lib/http/body.ts", "mounts", [
    ["a body that was read before", "if (incoming.readableDidRead) throw bodyAlreadyRead();", ""],
  ]),
];
