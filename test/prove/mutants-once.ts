// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["idempotency", "idempotency-bytes", "idempotency-parallel", "idempotency-twins"];

/** A POST happens once, whatever crashes. */
export const once = [
  fault(
    "a record of the answer in a commit of its own",
    "lib/api.ts",
    "return [...proposed.writes, keepingWrite(once, { status, body, location }, at, now, earlier)];",
    `const kept = { status, body, location };
    const record = () => storage.commit(caller.tenantId, now, (then) => [keepingWrite(once, kept, then, now, earlier)]);
    setImmediate(() => record().catch(() => {}));
    return proposed.writes;`,
    [...seenBy, "prove/exactly-once"],
  ),
  fault("one key for all integrations", "lib/api.ts", "id: `${ownerOf(caller)}:${key}`", "id: `${key}`", [
    "idempotency",
    "idempotency-twins",
    "prove/isolated-alone",
  ]),
  fault("a key that forgets the path", "lib/idempotency.ts", "[method, path, ", "[method, ", seenBy),
  fault(
    "a request that is overtaken and not handled anew",
    "lib/api.ts",
    "if (isOvertaken(error)) continue;",
    "",
    seenBy,
  ),
  fault(
    "an answer before the commit",
    "lib/sqlite/transactions.ts",
    "      this.#commit.run();",
    "      setImmediate(() => this.#commit.run());",
    ["sqlite-storage", "sqlite-synced"],
  ),
  fault(
    "no record of the answer",
    "lib/api.ts",
    "return [...proposed.writes, keepingWrite(",
    "if (once) return proposed.writes; return [...proposed.writes, keepingWrite(",
    seenBy,
  ),
  fault("any body under one key", "lib/idempotency.ts", 'fingerprint.split(" ", 1)[0] === meaning', "true", seenBy),
  fault("any bytes under one key", "lib/idempotency.ts", "record.fingerprint.endsWith(` ${asSent}`)", "true", seenBy),
  fault(
    "bytes under one key that forget the path",
    "lib/api.ts",
    "fingerprintOf({ ...operation, body: bodyHash() })",
    "bodyHash()",
    seenBy,
  ),
  fault(
    "bytes that forget how they are read",
    "lib/http/body.ts",
    "Buffer.concat([Buffer.from(read), bytes])",
    "bytes",
    seenBy,
  ),
  fault(
    "an expired stored response taken for one that was just made",
    "lib/api.ts",
    "if (!done || done.updatedAt === earlier?.updatedAt) throw refusal;",
    "if (!done) throw refusal;",
    ["idempotency"],
  ),
  fault("a key for ever", "lib/idempotency.ts", "record.createdAt + idempotencyWindowMs <= now", "false", seenBy),
  fault("a lost update", "lib/sqlite/writer.ts", "AND id = ? AND updated_at = ?`", "AND id = ? AND ? IS NOT NULL`", [
    "sqlite-storage",
  ]),
  fault("synchronous=NORMAL", "lib/sqlite/file.ts", 'synchronous = FULL"', 'synchronous = NORMAL"', [
    "sqlite-synced",
    "sqlite-storage",
  ]),
  fault(
    "a failed COMMIT taken for made",
    "lib/sqlite/transactions.ts",
    "return tasks.map(() => ({ error: faultOf(error) }));\n    }\n  }\n\n  /** What became of one",
    "return tasks.map(() => ({ changes: 1 }));\n    }\n  }\n\n  /** What became of one",
    ["sqlite-fault"],
  ),
  fault("a commit that is refused halfway", "lib/sqlite/transactions.ts", "this.#writer.isHalfway ?", "false ?", [
    "sqlite-batches",
  ]),
  fault(
    "a lock that stops the event loop",
    "lib/sqlite/file.ts",
    'database.pragma("busy_timeout = 0");',
    'database.pragma("busy_timeout = 1000");',
    ["sqlite-lock"],
  ),
  fault("a deferred transaction", "lib/sqlite/transactions.ts", '"BEGIN IMMEDIATE"', '"BEGIN"', [
    "sqlite-lock",
    "sqlite-synced",
    "sqlite-storage",
  ]),
  fault("a redirect that is followed", "lib/client/transport.ts", 'redirect: "manual"', 'redirect: "follow"', [
    "client-answers",
  ]),
  fault(
    "an answer that was cut off",
    "lib/client/transport.ts",
    'if (typeof body === "object" && body !== null) return',
    "if (status > 0) return",
    ["client-answers"],
  ),
  fault(
    "a body that was read before",
    "lib/http/node-asked.ts",
    'if (readableDidRead && headers["content-length"] !== "0") throw readBefore();',
    "",
    ["mounts-read"],
  ),
];
