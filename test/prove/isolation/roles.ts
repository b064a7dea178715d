import { randomBytes } from "node:crypto";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { entityKinds, entityModels } from "../../../lib/model/entities.ts";
import { scopes } from "../../../lib/model/integration.ts";
import { type TestCall, unknownId } from "./requests.ts";
import { bearer, type Credential, tokenOf } from "./shared-database.ts";
import { createTestTenant, others, one as plain, type TestTenant } from "./tenants.ts";

const key = (): string => makeApiKey("live", randomBytes);
const archivedAt = "2026-01-07T08:00:00.000Z";
const only = new Map(scopes.map((scope) => [scope, key()]));
const allBut = new Map(scopes.map((scope) => [scope, key()]));
const [ofGone, gone] = [key(), key()];
const archivedAdmin = "0195c0de-beef-7000-9bad-0000000000aa";
const { users, integrations, ...rest } = plain.file as Record<"users" | "integrations", unknown[]>;
/** The tested tenant, with an API key for each single scope and for all other scopes, and with archived records. */
export const one: TestTenant = {
  ...plain,
  file: {
    ...rest,
    users: [...users, { id: archivedAdmin, name: "Old", email: "old@tenant.test", role: "admin", archivedAt }],
    integrations: [
      ...integrations,
      ...[...only].map(([scope, key]) => ({ name: scope, scopes: [scope], keys: [{ key }] })),
      ...[...allBut].map(([scope, key]) => {
        return { name: `all but ${scope}`, scopes: scopes.filter((each) => each !== scope), keys: [{ key }] };
      }),
      { name: "Gone", scopes, keys: [{ key: ofGone }], archivedAt },
      { name: "Archived key", scopes, keys: [{ key: gone, archivedAt }] },
    ],
  },
};
const { unrelated } = others;
const tenant = createTestTenant({ id: "0195eeee-cafe-7000-8000-000000000001", ids: "ebbe", mark: "-closed" });
/** An archived tenant. */
export const closed: TestTenant = {
  ...tenant,
  file: { ...tenant.file, tenant: { ...(tenant.file.tenant as object), updatedAt: archivedAt, archivedAt } },
};

/**
 * The expected result at an endpoint: accepted, unknown caller, another integration's record, or a missing scope or
 * role.
 */
export type Verdict = "in" | "401 unauthorized" | "404 not_found" | `403 ${string}`;
export type Role = { readonly sent: Credential; readonly at: (call: TestCall) => Verdict };

function scopeOf({ endpoint: { scope }, query }: TestCall): string | undefined {
  return typeof scope === "function" ? scope(query) : scope;
}

function isForAdmins({ endpoint }: TestCall): boolean {
  return endpoint.access === "admin";
}

/** A credential that every endpoint rejects. */
function rejected(sent: Credential): Role {
  return { sent, at: () => "401 unauthorized" };
}

/** Scopes of which one is enough, by operation. */
const searchScopes = ["accounts:read", "contacts:read", "opportunities:read"];
const readScopes = entityKinds.map((kind) => `${entityModels[kind].plural}:read`);
const anyScope: Readonly<Record<string, readonly string[]>> = {
  searchRecords: searchScopes,
  getCounts: readScopes,
  listEvents: readScopes,
};

/** An API key is accepted by the endpoints of its scopes, and by those without a scope. */
function keyWith(granted: readonly string[], sent: Credential): Role {
  const at = (call: TestCall): Verdict => {
    const scope = scopeOf(call);
    if (isForAdmins(call)) return "401 unauthorized";
    const some = anyScope[call.endpoint.name];
    if (some !== undefined && scope === undefined)
      return some.some((each) => granted.includes(each)) ? "in" : `403 ${some.join(" ")}`;
    if (scope !== undefined && !granted.includes(scope)) return `403 ${scope}`;
    // A webhook belongs to one integration.
    const isOther =
      call.endpoint.path.startsWith("/webhooks/:id") && !Object.values(sent).some((value) => value.includes(one.key));
    return isOther ? "404 not_found" : "in";
  };
  return { sent, at };
}

/** A token is accepted by the endpoints for admins if the user is one. */
async function tokenFor(user: string, isAdmin: boolean, tenant: Pick<TestTenant, "id"> = one): Promise<Role> {
  const open = isAdmin ? "in" : "403 admin";
  return { sent: bearer(await tokenOf(tenant, user)), at: (call) => (isForAdmins(call) ? open : "401 unauthorized") };
}

const x = (value: string): Credential => ({ "x-api-key": value });
const token = await tokenOf(one, one.admin);
const { second, reader, bare, revoked, expired } = one.keys;
const wrongSum = `${one.key.slice(0, -1)}${one.key.endsWith("0") ? "1" : "0"}`;

/** Every kind of credential with its expected results. */
export const roles: Readonly<Record<string, Role>> = {
  "no credential": rejected({}),
  "an empty key": rejected(x("")),
  "a malformed key": rejected(x("crm_test_x")),
  "a key with a wrong checksum": rejected(x(wrongSum)),
  "an unknown well-formed key": rejected(x(key())),
  "a revoked key": rejected(x(revoked)),
  "a revoked key as Bearer": rejected(bearer(revoked)),
  "an expired key": rejected(x(expired)),
  "a key that was archived": rejected(x(gone)),
  "a key of an archived integration": rejected(x(ofGone)),
  "a key of an archived tenant": rejected(x(closed.key)),
  "two different keys of one tenant": rejected({ ...x(one.key), ...bearer(second) }),
  "the keys of two tenants": rejected({ ...x(one.key), ...bearer(unrelated.key) }),
  "a key and a token": keyWith(scopes, { ...x(one.key), ...bearer(token) }),
  "a token in x-api-key": rejected(x(token)),
  "a token in both headers": rejected({ ...x(token), ...bearer(token) }),
  "a token as Basic": rejected({ authorization: `Basic ${token}` }),
  "a token without a scheme": rejected({ authorization: token }),
  "two tokens in one header": rejected({ authorization: `Bearer ${token}, Bearer ${token}` }),
  "a key as Basic": rejected({ authorization: `Basic ${Buffer.from(`${one.key}:`).toString("base64")}` }),
  "a key without a scheme": rejected({ authorization: one.key }),
  "two keys in one header": rejected(x(`${one.key}, ${second}`)),
  "a key in x-api-key": keyWith(scopes, x(one.key)),
  "a key as Bearer": keyWith(scopes, bearer(one.key)),
  "a key as bearer, in small letters, after two spaces": keyWith(scopes, { authorization: `bearer  ${one.key}` }),
  "one key in both headers": keyWith(scopes, { ...x(one.key), ...bearer(one.key) }),
  "another integration's key": keyWith(scopes, x(second)),
  "a key to read tasks": keyWith(["tasks:read"], x(reader)),
  "a key without scopes": keyWith([], x(bare)),
  ...Object.fromEntries([...only].map(([scope, key]) => [`a key for ${scope} alone`, keyWith([scope], x(key))])),
  ...Object.fromEntries(
    [...allBut].map(([scope, key]) => {
      return [
        `a key for all but ${scope}`,
        keyWith(
          scopes.filter((each) => each !== scope),
          x(key),
        ),
      ];
    }),
  ),
  "an admin": await tokenFor(one.admin, true),
  "a member": await tokenFor(one.member, false),
  "an inactive admin": await tokenFor(one.inactiveAdmin, false),
  "an archived admin": await tokenFor(archivedAdmin, false),
  "an admin of another tenant": await tokenFor(unrelated.admin, false),
  "an unknown user": await tokenFor(unknownId, false),
  "an admin with another tenantId": await tokenFor(one.admin, false, unrelated),
  "an admin with an unknown tenantId": await tokenFor(one.admin, false, { ...one, id: unknownId }),
  "an admin of an archived tenant": await tokenFor(closed.admin, false, closed),
};
