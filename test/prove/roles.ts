import { randomBytes } from "node:crypto";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { scopes } from "../../lib/model/integration.ts";
import { type Ask, nobodys } from "./asks.ts";
import { type Neighbour, neighbour, others, one as plain } from "./neighbours.ts";
import { bearer, type Credential, tokenOf } from "./shared-file.ts";

const key = (): string => makeApiKey("live", randomBytes);
const archivedAt = "2026-01-07T08:00:00.000Z";
const only = new Map(scopes.map((scope) => [scope, key()]));
const allBut = new Map(scopes.map((scope) => [scope, key()]));
const [ofGone, gone] = [key(), key()];
const archivedAdmin = "0195c0de-beef-7000-9bad-0000000000aa";
const { users, integrations, ...rest } = plain.file as Record<"users" | "integrations", unknown[]>;
/** The tenant whose doors are tried, with a key for each scope alone and for all but it, and what was put away. */
export const one: Neighbour = {
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
      { name: "Kept", scopes, keys: [{ key: gone, archivedAt }] },
    ],
  },
};
const { stranger } = others;
const tenant = neighbour({ id: "0195eeee-cafe-7000-8000-000000000001", ids: "ebbe", mark: "-closed" });
/** A tenant that was archived. */
export const closed: Neighbour = {
  ...tenant,
  file: { ...tenant.file, tenant: { ...(tenant.file.tenant as object), updatedAt: archivedAt, archivedAt } },
};

/** The verdict at a door, from what its endpoint says of itself: in, not known, or not allowed, and for want of what. */
export type Verdict = "in" | "401 unauthorized" | `403 ${string}`;
export type Role = { readonly sent: Credential; readonly at: (ask: Ask) => Verdict };

function scopeOf({ endpoint: { scope }, query }: Ask): string | undefined {
  return typeof scope === "function" ? scope(query) : scope;
}

function isForAdmins({ endpoint }: Ask): boolean {
  return endpoint.access === "admin";
}

/** Opens no door. */
function stranded(sent: Credential): Role {
  return { sent, at: () => "401 unauthorized" };
}

const searchScopes = ["accounts:read", "contacts:read", "opportunities:read"];

/** A key opens the doors of integrations for which it has the scope, and those that ask for none. */
function keyWith(granted: readonly string[], sent: Credential): Role {
  const at = (ask: Ask): Verdict => {
    const scope = scopeOf(ask);
    if (isForAdmins(ask)) return "401 unauthorized";
    // One of them is enough.
    if (ask.endpoint.name === "search" && scope === undefined)
      return searchScopes.some((each) => granted.includes(each)) ? "in" : `403 ${searchScopes.join(" ")}`;
    return scope === undefined || granted.includes(scope) ? "in" : `403 ${scope}`;
  };
  return { sent, at };
}

/** A token opens the doors of administrators, to those who are one. */
async function tokenFor(user: string, isAdmin: boolean, tenant: Pick<Neighbour, "id"> = one): Promise<Role> {
  const open = isAdmin ? "in" : "403 admin";
  return { sent: bearer(await tokenOf(tenant, user)), at: (ask) => (isForAdmins(ask) ? open : "401 unauthorized") };
}

const x = (value: string): Credential => ({ "x-api-key": value });
const token = await tokenOf(one, one.admin);
const { second, reader, bare, revoked, expired } = one.keys;
const wrongSum = `${one.key.slice(0, -1)}${one.key.endsWith("0") ? "1" : "0"}`;

/** Everybody who may come, and what each is told at each door. */
export const roles: Readonly<Record<string, Role>> = {
  nobody: stranded({}),
  "an empty key": stranded(x("")),
  "a malformed key": stranded(x("crm_test_x")),
  "a key with a wrong checksum": stranded(x(wrongSum)),
  "a well-formed key that nobody has": stranded(x(key())),
  "a revoked key": stranded(x(revoked)),
  "a revoked key as Bearer": stranded(bearer(revoked)),
  "an expired key": stranded(x(expired)),
  "a key that was archived": stranded(x(gone)),
  "a key of an archived integration": stranded(x(ofGone)),
  "a key of an archived tenant": stranded(x(closed.key)),
  "two different keys of one tenant": stranded({ ...x(one.key), ...bearer(second) }),
  "the keys of two tenants": stranded({ ...x(one.key), ...bearer(stranger.key) }),
  "a key and a token": keyWith(scopes, { ...x(one.key), ...bearer(token) }),
  "a token in x-api-key": stranded(x(token)),
  "a token in both headers": stranded({ ...x(token), ...bearer(token) }),
  "a token as Basic": stranded({ authorization: `Basic ${token}` }),
  "a token without a scheme": stranded({ authorization: token }),
  "two tokens in one header": stranded({ authorization: `Bearer ${token}, Bearer ${token}` }),
  "a key as Basic": stranded({ authorization: `Basic ${Buffer.from(`${one.key}:`).toString("base64")}` }),
  "a key without a scheme": stranded({ authorization: one.key }),
  "two keys in one header": stranded(x(`${one.key}, ${second}`)),
  "a key in x-api-key": keyWith(scopes, x(one.key)),
  "a key as Bearer": keyWith(scopes, bearer(one.key)),
  "a key as bearer, in small letters, after two blanks": keyWith(scopes, { authorization: `bearer  ${one.key}` }),
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
  "an administrator": await tokenFor(one.admin, true),
  "a member": await tokenFor(one.member, false),
  "an administrator who is not active": await tokenFor(one.inactiveAdmin, false),
  "an administrator who was archived": await tokenFor(archivedAdmin, false),
  "another tenant's administrator": await tokenFor(stranger.admin, false),
  "a user whom nobody knows": await tokenFor(nobodys, false),
  "an administrator in a tenant that is not theirs": await tokenFor(one.admin, false, stranger),
  "an administrator in a tenant that nobody knows": await tokenFor(one.admin, false, { ...one, id: nobodys }),
  "an administrator of an archived tenant": await tokenFor(closed.admin, false, closed),
};
