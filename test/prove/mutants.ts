// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
/** One fault, put into a file in place of what stands there exactly once, and the tests that must see it. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
};

const sync = ["test/lists.test.ts", "test/lists-resume.test.ts", "test/sqlite-storage.test.ts"];
const once = ["test/idempotency.test.ts", "test/idempotency-parallel.test.ts"];
const apart = ["test/prove/isolated.test.ts", "test/prove/isolated-alone.test.ts", "test/sqlite-storage.test.ts"];
const tokens = ["test/admin-tokens.test.ts", "test/admin-jwks.test.ts"];

function fault(name: string, file: string, from: string, to: string, tests: readonly string[]): Mutant {
  return { name, file, from, to, tests };
}

/** Each breaks one promise in one place, as a careless change would. */
export const mutants: readonly Mutant[] = [
  // A sync never misses a record.
  fault("stamps of the wall clock", "lib/sqlite/writer.ts", "Math.max(now, ", "Math.max(now, 0 * ", sync),
  fault("a stamp that is not kept", "lib/sqlite/writer.ts", ".run(tenant, last);", ".run(tenant, 0);", sync),
  fault("two commits of one instant", "lib/sqlite/writer.ts", "?? 0) + 1)", "?? 0))", sync),
  fault(
    "updatedSince exclusive",
    "lib/sql/query.ts",
    '{ updatedAt: since, id: "" }',
    '{ updatedAt: since, id: "~" }',
    sync,
  ),
  fault(
    "the place of a page compared by time alone",
    "lib/sql/query.ts",
    "(${lead.updatedAt}, ${lead.id}) > (?, ?)",
    "${lead.updatedAt} > ? AND '' <> ?",
    sync,
  ),
  fault("no row more than the limit", "lib/list.ts", "limit + 1)", "limit)", sync),
  fault(
    "a cursor of any filter",
    "lib/page.ts",
    "hashes[name] === undefined && filters[name] !== value",
    "false",
    sync,
  ),
  fault(
    "a cursor of any tenant",
    "lib/page.ts",
    "`${scope.tenantId}\\n${scope.endpoint}\\n`",
    "`${scope.endpoint}\\n`",
    sync,
  ),
  fault(
    "a watermark of the wall clock",
    "lib/list.ts",
    "const reached = last?.updatedAt ??",
    "const reached = Date.now() ??",
    sync,
  ),
  // A POST happens once, whatever crashes.
  fault(
    "no record of the answer",
    "lib/api.ts",
    "return [...proposed.writes, keepingWrite(",
    "if (once) return proposed.writes; return [...proposed.writes, keepingWrite(",
    once,
  ),
  fault("any body under one key", "lib/idempotency.ts", "record.fingerprint === fingerprint", "true", once),
  fault("a key for ever", "lib/idempotency.ts", "record.createdAt + idempotencyWindowMs <= now", "false", once),
  fault("a lost update", "lib/sqlite/writer.ts", "AND id = ? AND updated_at = ?`", "AND id = ? AND ? IS NOT NULL`", [
    "test/sqlite-storage.test.ts",
  ]),
  fault("synchronous=NORMAL", "lib/sqlite/file.ts", 'synchronous = FULL"', 'synchronous = NORMAL"', [
    "test/sqlite-lock.test.ts",
    "test/sqlite-storage.test.ts",
  ]),
  fault(
    "a failed COMMIT taken for made",
    "lib/sqlite/commit-queue.ts",
    "for (const job of batch) failed.set(job, { error: faultOf(error) });",
    "",
    ["test/sqlite-fault.test.ts"],
  ),
  fault("a deferred transaction", "lib/sqlite/connections.ts", '"BEGIN IMMEDIATE"', '"BEGIN"', [
    "test/sqlite-lock.test.ts",
    "test/sqlite-storage.test.ts",
  ]),
  // Nothing of one tenant is seen by another.
  fault("a list of any tenant", "lib/sql/query.ts", "`${side}.tenant_id = ${given}`", "`${given} IS NOT NULL`", apart),
  fault(
    "a record of any tenant",
    "lib/sqlite/storage.ts",
    "t WHERE tenant_id = ? AND id = ?",
    "t WHERE ? IS NOT NULL AND id = ?",
    apart,
  ),
  fault(
    "a name taken by any tenant",
    "lib/sqlite/writer.ts",
    "WHERE tenant_id = ? AND ${name} = ?",
    "WHERE ? IS NOT NULL AND ${name} = ?",
    ["test/prove/isolated.test.ts", "test/sqlite-storage.test.ts", "test/prove/isolated-alone.test.ts"],
  ),
  fault(
    "the people of any tenant",
    "lib/sqlite/active-opportunities.ts",
    "contacts c ON c.tenant_id = ${given} AND",
    "contacts c ON ${given} IS NOT NULL AND",
    ["test/active-opportunities.test.ts", "test/sqlite-storage.test.ts"],
  ),
  fault(
    "references not looked up",
    "lib/draft.ts",
    "...(await checkReferrals(context.storage, tenantId, referrals)),",
    "",
    ["test/accounts.test.ts", "test/tasks-rules.test.ts"],
  ),
  fault("a tenant id that is not compared", "lib/incoming.ts", "if (strange.length === 0) return;", "return;", [
    "test/errors-tenant.test.ts",
  ]),
  fault("no scope asked for", "lib/incoming.ts", "scope === undefined || scopes.includes(scope)", "true", [
    "test/permissions.test.ts",
  ]),
  fault("a revoked key", "lib/auth/authenticate.ts", "found.revokedAt !== null", "false", [
    "test/permissions.test.ts",
    "test/admin-keys.test.ts",
  ]),
  fault("an expired key", "lib/auth/authenticate.ts", "found.expiresAt <= now", "false", ["test/permissions.test.ts"]),
  fault(
    "a token for any audience",
    "lib/auth/admin-token.ts",
    "      audience,\n      algorithms,",
    "      algorithms,",
    tokens,
  ),
  fault(
    "a token without an end",
    "lib/auth/admin-token.ts",
    '["exp", "sub", "tenantId"]',
    '["sub", "tenantId"]',
    tokens,
  ),
  fault(
    "an administrator by the token's word",
    "lib/http/handler.ts",
    'if (endpoint.access === "admin") await assertAdministrator(parts.storage, caller);',
    "",
    tokens,
  ),
  // Everything that is wrong, at once, in words that help.
  fault(
    "only the first problem",
    "lib/errors.ts",
    "const errors = fitting(problems, problemsBytesMax);",
    "const errors = problems.slice(0, 1);",
    ["test/errors-shape.test.ts"],
  ),
  fault("the last of two equal keys", "lib/input/json.ts", "if (keys?.has(key))", "if (false)", [
    "test/errors-body.test.ts",
  ]),
  fault(
    "31 February",
    "lib/input/scalars.ts",
    "return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);",
    "return true;",
    ["test/input-times.test.ts", "test/input.test.ts"],
  ),
  fault(
    "a stack in the answer",
    "lib/http/answer.ts",
    'const message =\n    "Something went wrong on our side.',
    'const message =\n    (error as Error).stack ?? "Something went wrong on our side.',
    ["test/errors-faults.test.ts"],
  ),
];
