// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const tokens = ["admin-tokens", "admin-jwks", "prove/isolated-tokens"];
const keys = ["prove/isolated-roles"];
const token = "lib/auth/admin-token.ts";
const authenticate = "lib/auth/authenticate-key.ts";

/** Faults in permissions. */
export const apart = [
  fault(
    "a tenant id that is not compared",
    "lib/api/endpoint-request.ts",
    "if (wrong.length === 0) return;",
    "return;",
    ["errors-tenant"],
  ),
  fault(
    "a description of entities that the key can't read",
    "lib/http/docs/tenant-description.ts",
    "entityKinds.filter((kind) => scopes.includes(`${entityModels[kind].plural}:read`))",
    "[...entityKinds]",
    ["tenant-description"],
  ),
  fault(
    "no scope required",
    "lib/api/endpoint-request.ts",
    "scope === undefined || caller.scopes.includes(scope)",
    "true",
    keys,
  ),
  fault("a revoked key", authenticate, "found.revokedAt !== null", "false", [...keys, "admin-keys"]),
  fault("an expired key", authenticate, "found.expiresAt === null || found.expiresAt > now", "true", [
    "admin-keys",
    ...keys,
  ]),
  fault(
    "a revoked key that is remembered",
    authenticate,
    "const found = await storage.findApiKey(hash);",
    `const all = ((globalThis as any).remembered ??= new WeakMap());
  if (!all.has(storage)) all.set(storage, new Map());
  const found = all.get(storage).get(hash) ?? (await storage.findApiKey(hash));
  if (found !== undefined) all.get(storage).set(hash, found);`,
    ["admin-keys", "prove/isolated-revocation"],
  ),
  fault(
    "a key that was revoked while the body came in",
    "lib/http/app.ts",
    "if (runtime.now() - verifiedAt > maxUnverifiedMs) await authenticate();",
    "",
    ["long-body", "get-bodies"],
  ),
  fault(
    "a key that was archived",
    "lib/storage/sqlite/storage.ts",
    "WHERE t.hash = ${sqliteDialect.placeholder} AND t.archived_at IS NULL",
    "WHERE t.hash = ${sqliteDialect.placeholder}",
    keys,
  ),
  fault("a key of an archived integration", "lib/storage/sqlite/storage.ts", " AND i.archived_at IS NULL", "", keys),
  fault("a key of an archived tenant", "lib/storage/sqlite/storage.ts", " AND c.archived_at IS NULL", "", keys),
  fault("two credentials, of which one counts", authenticate, "withoutScheme(authorization) === key", "true", keys),
  fault("a token for any audience", token, "      audience,\n      algorithms,", "      algorithms,", tokens),
  fault(
    "a token of any issuer",
    token,
    "      issuer,\n      audience,\n      algorithms,",
    "      audience,\n      algorithms,",
    tokens,
  ),
  fault("a token without an end", token, 'requiredClaims: ["exp"],', "", tokens),
  fault("an expired token", token, "currentDate: new Date(now),", "currentDate: new Date(0),", tokens),
  fault("a token with an end in milliseconds", token, "exp > maxExpiry", "false", tokens),
  fault("a token that can be read in two ways", token, "if (!isCanonicalJwt(token))", "if (false)", tokens),
  fault(
    "an admin by the role in the token",
    "lib/http/app.ts",
    'if (endpoint.access === "admin") await assertAdmin(storage, caller);',
    "",
    tokens,
  ),
  fault(
    "an inactive admin",
    "lib/auth/admin.ts",
    'user?.role === "admin" && user.active &&',
    'user?.role === "admin" &&',
    ["admin-edges", "admin-tokens", "prove/isolated-roles"],
  ),
];
