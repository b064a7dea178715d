// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const tokens = ["admin-tokens", "admin-jwks", "prove/isolated-tokens"];
const keys = ["prove/isolated-roles"];
const token = "lib/auth/admin-token.ts";
const authenticate = "lib/auth/authenticate-key.ts";

/** Faults in permissions. */
export const apart = [
  ...faults("lib/api/endpoint-request.ts", "errors-tenant", [
    ["a tenant id that is not compared", "if (wrong.length === 0) return;", "return;"],
    ["no scope required", "scope === undefined || caller.scopes.includes(scope)", "true", keys],
  ]),
  ...faults("lib/http/docs/tenant-description.ts", "tenant-description", [
    [
      "a description of entities that the key can't read",
      "entityKinds.filter((kind) => scopes.includes(`${entityModels[kind].plural}:read`))",
      "[...entityKinds]",
    ],
  ]),
  ...faults(
    authenticate,
    [...keys, "admin-keys"],
    [
      ["a revoked key", "found.revokedAt !== null", "false"],
      ["an expired key", "found.expiresAt === null || found.expiresAt > now", "true", ["admin-keys", ...keys]],
      [
        "a revoked key that is remembered",
        "const found = await storage.findApiKey(hash, listeners.onCached);",
        `const all = ((globalThis as any).remembered ??= new WeakMap());
  if (!all.has(storage)) all.set(storage, new Map());
  const found = all.get(storage).get(hash) ?? (await storage.findApiKey(hash));
  if (found !== undefined) all.get(storage).set(hash, found);`,
        ["admin-keys", "prove/isolated-revocation"],
      ],
      ["two credentials, of which one counts", "withoutScheme(authorization) === key", "true", keys],
    ],
  ),
  ...faults(
    "lib/http/app.ts",
    ["long-body", "get-bodies"],
    [
      [
        "a key that was revoked while the body came in",
        "if (runtime.now() - verifiedAt > maxUnverifiedMs) authenticated = await authenticate();",
        "",
      ],
      [
        "an admin by the role in the token",
        'if (endpoint.access === "admin") await assertAdmin(storage, caller);',
        "",
        tokens,
      ],
    ],
  ),
  ...faults("lib/storage/sqlite/storage.ts", keys, [
    [
      "a key that was archived",
      "WHERE t.hash = ${sqliteDialect.placeholder} AND t.archived_at IS NULL",
      "WHERE t.hash = ${sqliteDialect.placeholder}",
    ],
    ["a key of an archived integration", " AND i.archived_at IS NULL", ""],
    ["a key of an archived tenant", " AND c.archived_at IS NULL", ""],
  ]),
  ...faults(token, tokens, [
    ["a token for any audience", "      audience,\n      algorithms,", "      algorithms,"],
    [
      "a token of any issuer",
      "      issuer,\n      audience,\n      algorithms,",
      "      audience,\n      algorithms,",
    ],
    ["a token without an end", 'requiredClaims: ["exp"],', ""],
    ["an expired token", "currentDate: new Date(now),", "currentDate: new Date(0),"],
    ["a token with an end in milliseconds", "exp > maxExpiry", "false"],
    ["a token that can be read in two ways", "if (!isCanonicalJwt(token))", "if (false)"],
  ]),
  ...faults(
    "lib/auth/admin.ts",
    ["admin-edges", "admin-tokens", "prove/isolated-roles"],
    [["an inactive admin", 'user?.role === "admin" && user.active &&', 'user?.role === "admin" &&']],
  ),
];
