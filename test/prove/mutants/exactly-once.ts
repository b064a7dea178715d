// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["idempotency", "idempotency-parallel", "idempotency-parallel-posts"];

/** A POST happens once, whatever crashes. */
export const once = [
  fault(
    "an idempotency record in its own commit",
    "lib/api/run-endpoint.ts",
    "return [...logged, storeResponseWrite(idempotent, stored, at, now, expired)];",
    `const record = () =>
      context.storage.commit(caller.tenantId, now, (then) => [storeResponseWrite(idempotent, stored, then, now, expired)]);
    setImmediate(() => record().catch(() => {}));
    return logged;`,
    [...seenBy, "prove/exactly-once"],
  ),
  fault(
    "one key for all integrations",
    "lib/api/endpoint-request.ts",
    "id: `${ownerOf(caller)}:${key}`",
    "id: `${key}`",
    ["idempotency", "idempotency-parallel-posts", "prove/isolated-alone"],
  ),
  fault("a key that forgets the path", "lib/api/idempotency.ts", "[method, path, ", "[method, ", seenBy),
  fault(
    "a stale request that isn't handled again",
    "lib/api/run-endpoint.ts",
    "if (conflict !== undefined && isRetryable(endpoint, conflict, last)) {",
    "if (false) {",
    seenBy,
  ),
  fault(
    "a response before the commit",
    "lib/storage/sqlite/transaction-runner.ts",
    "      this.#commit.run();",
    "      setImmediate(() => this.#commit.run());",
    ["sqlite-storage", "sqlite-synced"],
  ),
  fault(
    "no idempotency record",
    "lib/api/run-endpoint.ts",
    "return [...logged, storeResponseWrite(",
    "if (idempotent) return logged; return [...logged, storeResponseWrite(",
    seenBy,
  ),
  fault(
    "any body under one key",
    "lib/api/idempotency.ts",
    "isSameRequest(record.fingerprint, request)",
    "true",
    seenBy,
  ),
  fault(
    "a key used again for another request",
    "lib/api/idempotency.ts",
    'throw new ApiError("idempotency_key_reused", message, { details: { method: "POST", path, usedAt } });',
    "",
    seenBy,
  ),
  fault(
    "an expired stored response taken for one that was just made",
    "lib/api/run-endpoint.ts",
    "if (latest === undefined || latest.updatedAt === stored?.updatedAt) throw apiError;",
    "if (latest === undefined) throw apiError;",
    ["idempotency"],
  ),
  fault("a key for ever", "lib/api/idempotency.ts", "record.createdAt + idempotencyWindowMs <= now", "false", seenBy),
  fault(
    "an If-Match that is not compared",
    "lib/api/conditional-requests.ts",
    'if (ifMatch === undefined || matches(ifMatch, `"${version}"`)) return;',
    "return;",
    ["conditional-requests", "client-writes"],
  ),
  fault(
    "an ETag of a custom field",
    "lib/api/conditional-requests.ts",
    'body.lastIndexOf(\'"updatedAt":"\')',
    'body.indexOf(\'"updatedAt":"\')',
    ["etag"],
  ),
  fault(
    "a lost update",
    "lib/storage/sqlite/transaction-runner.ts",
    "AND id = ? AND updated_at = ?`",
    "AND id = ? AND ? IS NOT NULL`",
    ["sqlite-storage"],
  ),
  fault("synchronous=NORMAL", "lib/storage/sqlite/open.ts", 'synchronous = FULL"', 'synchronous = NORMAL"', [
    "sqlite-synced",
    "sqlite-storage",
  ]),
  fault(
    "a failed COMMIT taken for made",
    "lib/storage/sqlite/transaction-runner.ts",
    "return jobs.map(() => ({ error: toStorageUnavailable(error) }));",
    "return jobs.map(() => ({ changes: 1 }));",
    ["sqlite-fault"],
  ),
  fault(
    "a commit that is rejected halfway",
    "lib/storage/sqlite/transaction-runner.ts",
    "hasFailed(result) && this.#writer.isPartial",
    "false",
    ["sqlite-batches"],
  ),
  fault(
    "a lock that stops the event loop",
    "lib/storage/sqlite/open.ts",
    'database.pragma("busy_timeout = 0");',
    'database.pragma("busy_timeout = 1000");',
    ["sqlite-lock"],
  ),
  fault(
    "a statement journal in a temporary folder",
    "lib/storage/sqlite/open.ts",
    'database.pragma("temp_store = MEMORY");\n  const mode',
    "const mode",
    ["prove/scarce-resources"],
  ),
  fault("an update that sets the key", "lib/storage/sql/table.ts", "keyLength = 2;", "keyLength = 0;", [
    "sqlite-updates",
  ]),
  fault("a start on a changed schema", "lib/storage/sqlite/open.ts", "      assertSchema(database);\n", "", [
    "sqlite-schema",
  ]),
  fault("a migration of a changed schema", "lib/storage/sqlite/open.ts", "() => assertSchema(database)", "() => {}", [
    "program-migrate",
  ]),
  fault("a backup with a changed schema", "lib/storage/sqlite/restore.ts", "findSchemaErrors(copy)", "[] as string[]", [
    "sqlite-schema",
    "sqlite-restore-rejected",
  ]),
  fault(
    "a commit after a newer version's migration",
    "lib/storage/sqlite/transaction-runner.ts",
    "assertSchemaKnown(Number",
    "void (Number",
    ["sqlite-newer-schema"],
  ),
  fault("a deferred transaction", "lib/storage/sqlite/transaction-runner.ts", '"BEGIN IMMEDIATE"', '"BEGIN"', [
    "sqlite-lock",
    "sqlite-synced",
    "sqlite-storage",
  ]),
  fault("a redirect that is followed", "lib/client/transport.ts", 'redirect: "manual"', 'redirect: "follow"', [
    "client-responses",
  ]),
  fault(
    "a truncated response",
    "lib/client/transport.ts",
    'if (typeof body === "object" && body !== null) return',
    "if (status > 0) return",
    ["client-responses"],
  ),
  fault(
    "a body that was read before",
    "lib/http/body.ts",
    "if (incoming.readableDidRead) throw bodyAlreadyRead();",
    "",
    ["mounts"],
  ),
];
