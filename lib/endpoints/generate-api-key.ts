import { createHash } from "node:crypto";
import * as v from "valibot";
import { hashOf, makeApiKey, maskOf } from "../auth/api-key.ts";
import type { Answer, Call, Context, Proposal } from "../endpoint.ts";
import { ApiError, type Finding, problemsError } from "../errors.ts";
import { filledText, instant, oneOf, said, uuid } from "../input/scalars.ts";
import { type ApiKey, type Integration, scopes } from "../records/integration.ts";
import { keyView, revocation, statusOf } from "../rules/key-state.ts";
import type { Write } from "../storage.ts";

/** Active keys of one integration: the one in use, and the one it is being exchanged for. */
const activeKeysMax = 2;

const optional = <S extends v.GenericSchema>(schema: S, sentence: string) => v.optional(said(schema, sentence));

const keyEntries = {
  scopes: optional(
    v.pipe(
      v.array(oneOf(scopes), "must be a list of scopes"),
      v.transform((list) => [...new Set(list)]),
    ),
    "What the integration may do from now on, with its other key too. A new integration has every scope.",
  ),
  expiresAt: optional(instant, "From when on the key is refused; not yet over. Left out: it does not expire."),
  rotate: optional(v.boolean("must be true or false"), "Revoke the older key where two are active already."),
};

export const generation = v.optional(
  v.strictObject({
    integrationId: optional(
      uuid,
      "The integration that gets the key. Left out: the tenant's first, made if there is none.",
    ),
    name: optional(filledText(255), "What the integration is called from now on."),
    ...keyEntries,
  }),
  {},
);

/** For the integration of this name: the oldest one, made with the key where there is none. */
export const namedGeneration = v.strictObject({ integrationName: filledText(255), ...keyEntries });

type Asked = v.InferOutput<typeof generation> & { readonly integrationName?: string };
type Generation = Call<unknown, Asked>;

/** A new key of an integration, shown this once. @throws ApiError `409 conflict` where two are active already */
export async function generateApiKey({ body, caller }: Generation, context: Context): Promise<Answer | Proposal> {
  const now = context.clock.now();
  const all = await context.storage.list(caller.tenantId, "integration", { archived: true });
  const found = findIntegration(all, body);
  const findings: Finding[] = [];
  if (found === undefined && body.integrationId !== undefined) findings.push(strangeIntegration);
  if (body.expiresAt !== undefined && body.expiresAt <= now) findings.push(overAlready);
  if (findings.length > 0) throw problemsError(findings);
  const called = body.integrationName ?? "Integration";
  const owner = found ?? { ...fresh, name: called, id: newIntegrationId(all, caller.tenantId) };
  const keys = await context.storage.list(caller.tenantId, "apiKey", { where: { integrationId: owner.id } });
  const active = keys.filter((key) => statusOf(key, now) === "active").toSorted((a, b) => a.createdAt - b.createdAt);
  if (active.length >= activeKeysMax && body.rotate !== true) throw tooMany(active.length);
  const value = makeApiKey("live", context.random);
  const id = context.newId();
  return (at: number) => {
    const named = { name: body.name ?? owner.name, scopes: body.scopes ?? owner.scopes, updatedAt: at };
    const integration: Integration = { ...owner, ...named, createdAt: found?.createdAt ?? at };
    const times = { createdAt: at, updatedAt: at, archivedAt: null, lastUsedAt: null, revokedAt: null };
    const names = { integrationId: owner.id, hash: hashOf(value), maskedKey: maskOf(value), createdBy: caller.userId };
    const key: ApiKey = { id, ...names, expiresAt: body.expiresAt ?? null, ...times };
    // Written with the key though nothing else may change: two at once cannot both be the second key.
    const guard: Write =
      found === undefined
        ? { op: "insert", kind: "integration", record: integration }
        : { op: "update", kind: "integration", record: integration, was: found.updatedAt };
    const revoked = active.slice(0, Math.max(0, active.length - activeKeysMax + 1)).map((each) => revocation(each, at));
    const data = keyView(key, integration, now);
    const writes: Write[] = [guard, ...revoked, { op: "insert", kind: "apiKey", record: key }];
    return { status: 201, body: { data: { ...data, key: value } }, kept: { data: { ...data, key: null } }, writes };
  };
}

/** The one asked for, or the first of the name or of the tenant. */
function findIntegration(all: readonly Integration[], body: Asked): Integration | undefined {
  const { integrationId: asked, integrationName } = body;
  const there = all.filter(({ archivedAt }) => archivedAt === null);
  if (asked !== undefined) return there.find(({ id }) => id === asked);
  const named = there.filter(({ name }) => integrationName === undefined || name === integrationName);
  return named.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
}

/** Follows from what is there already: two who make an integration at once make the same one, and one goes on. */
function newIntegrationId(all: readonly Integration[], tenantId: string): string {
  const hash = createHash("sha256").update(`${tenantId} integration ${all.length}`).digest("hex");
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
}

/** An integration that is made with its first key. */
const fresh = { scopes: [...scopes], createdAt: 0, updatedAt: 0, archivedAt: null };

const strangeIntegration: Finding = {
  kind: "invalid_reference",
  problem: {
    path: "/integrationId",
    code: "not_found",
    message: "integrationId names no integration of this tenant.",
  },
};

const overAlready: Finding = {
  kind: "rule",
  problem: { path: "/expiresAt", code: "out_of_range", message: "expiresAt is over already." },
};

function tooMany(count: number): ApiError {
  const message = `The integration has ${count} active keys. Revoke one, or send "rotate": true to revoke the older.`;
  return new ApiError("conflict", message, { details: { reason: "active_key_limit", allowed: ["revoke", "rotate"] } });
}
