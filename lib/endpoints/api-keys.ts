import * as v from "valibot";
import { hashOf, makeApiKey, maskOf } from "../auth/api-key.ts";
import { type Call, type Context, endpoint } from "../endpoint.ts";
import { ApiError, problemsError } from "../errors.ts";
import { filledText, instant, oneOf, uuid } from "../input/scalars.ts";
import { type ApiKey, apiKey, type Integration, type Scope, scopes } from "../records/integration.ts";
import { timeText } from "../records/model.ts";
import { emptyBody } from "../records/schemas.ts";
import { findRecord } from "../resource.ts";
import type { Write } from "../storage.ts";

/** Active keys of one integration: the one in use, and the one it is being exchanged for. */
const activeKeysMax = 2;

const generation = v.optional(
  v.strictObject({
    integrationId: v.optional(uuid),
    name: v.optional(filledText(255)),
    scopes: v.optional(v.array(oneOf(scopes), "must be a list of scopes")),
    expiresAt: v.optional(instant),
    rotate: v.optional(v.boolean("must be true or false")),
  }),
  {},
);

/** The integrations' keys, for administrators. A value is shown once, when it is made, and kept nowhere. */
export const apiKeys = [
  endpoint({
    name: "listApiKeys",
    method: "GET",
    path: "/api-key",
    access: "admin",
    summary: "List the tenant's API keys, masked",
    async handle({ caller: { tenantId } }, { storage, clock }) {
      const integrations = await storage.list(tenantId, "integration", {});
      const keys = await storage.list(tenantId, "apiKey", {});
      const data = keys.flatMap((key) => {
        const owner = integrations.find(({ id }) => id === key.integrationId);
        return owner === undefined ? [] : [view(key, owner, clock.now())];
      });
      return { status: 200, body: { data } };
    },
  }),
  endpoint({
    name: "generateApiKey",
    method: "POST",
    path: "/api-key/generate",
    access: "admin",
    summary: "Make an API key, or rotate",
    body: generation,
    handle: generate,
  }),
  endpoint({
    name: "revokeApiKey",
    method: "POST",
    path: "/api-key/:id/revoke",
    access: "admin",
    summary: "Revoke an API key",
    body: emptyBody,
    async handle(call, context) {
      const { storage, clock } = context;
      const key = (await findRecord(apiKey, call, context)) as unknown as ApiKey;
      const owner = await storage.get(call.caller.tenantId, "integration", key.integrationId);
      if (owner === undefined) throw new ApiError("not_found", "There is no apiKey with this id.");
      if (key.revokedAt !== null) return { status: 200, body: { data: view(key, owner, clock.now()) } };
      return (at) => {
        const write = revocation(key, at);
        return { status: 200, body: { data: view(write.record, owner, at) }, writes: [write] };
      };
    },
  }),
];

async function generate(call: Call<unknown, v.InferOutput<typeof generation>>, context: Context) {
  const { body, caller } = call;
  const now = context.clock.now();
  if (body.expiresAt !== undefined && body.expiresAt <= now)
    throw refused("/expiresAt", "out_of_range", "expiresAt is over already.");
  const owner = await ownerOf(call, context);
  const active = (await context.storage.list(caller.tenantId, "apiKey", { where: { integrationId: owner.id } }))
    .filter((key) => statusOf(key, now) === "active")
    .toSorted((a, b) => a.createdAt - b.createdAt);
  if (active.length >= activeKeysMax && body.rotate !== true) {
    const message = `The integration has ${active.length} active keys. Revoke one, or send "rotate": true to revoke the older.`;
    const details = { reason: "active_key_limit", allowed: ["revoke", "rotate"] };
    throw new ApiError("conflict", message, { details });
  }
  const value = makeApiKey("live", context.random);
  const id = context.newId();
  return (at: number) => {
    const integration = { ...owner, updatedAt: at, createdAt: owner.createdAt || at };
    const times = { createdAt: at, updatedAt: at, archivedAt: null, lastUsedAt: null, revokedAt: null };
    const names = { integrationId: owner.id, hash: hashOf(value), maskedKey: maskOf(value), createdBy: caller.userId };
    const key: ApiKey = { id, ...names, expiresAt: body.expiresAt ?? null, ...times };
    // Written with the key though nothing else may change: two at once cannot both be the second key.
    const guard: Write =
      owner.createdAt === 0
        ? { op: "insert", kind: "integration", record: integration }
        : { op: "update", kind: "integration", record: integration, was: owner.updatedAt };
    const revoked = active.slice(0, Math.max(0, active.length - activeKeysMax + 1)).map((each) => revocation(each, at));
    const data = view(key, integration, at);
    const writes: Write[] = [guard, ...revoked, { op: "insert", kind: "apiKey", record: key }];
    return { status: 201, body: { data: { ...data, key: value } }, kept: { data: { ...data, key: null } }, writes };
  };
}

/** The integration that the key is for, with the name and scopes asked for; `createdAt` is 0 where it is to be made. */
async function ownerOf(
  { body, caller }: Call<unknown, v.InferOutput<typeof generation>>,
  context: Context,
): Promise<Integration> {
  const { integrationId, name, scopes: asked } = body;
  const all = await context.storage.list(caller.tenantId, "integration", {});
  const first = all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
  const found = integrationId === undefined ? first : all.find(({ id }) => id === integrationId);
  if (found === undefined && integrationId !== undefined) {
    throw refused(
      "/integrationId",
      "not_found",
      "integrationId names no integration of this tenant.",
      "invalid_reference",
    );
  }
  // The tenant's own id: two who make the first integration at once make the same one.
  const fresh = {
    id: caller.tenantId,
    name: "Integration",
    scopes: [...scopes],
    createdAt: 0,
    updatedAt: 0,
    archivedAt: null,
  };
  const base: Integration = found ?? fresh;
  return { ...base, name: name ?? base.name, scopes: asked ?? base.scopes };
}

function revocation(key: ApiKey, at: number) {
  const record: ApiKey = { ...key, revokedAt: at, updatedAt: at };
  return { op: "update", kind: "apiKey", record, was: key.updatedAt } as const;
}

function statusOf(key: ApiKey, now: number): "active" | "revoked" | "expired" {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

function view(key: ApiKey, owner: Pick<Integration, "name" | "scopes">, now: number) {
  const { id, integrationId, maskedKey, createdBy } = key;
  const shown = { id, integrationId, integrationName: owner.name, maskedKey, scopes: owner.scopes as readonly Scope[] };
  const times = {
    lastUsedAt: timeText(key.lastUsedAt),
    expiresAt: timeText(key.expiresAt),
    revokedAt: timeText(key.revokedAt),
  };
  return { ...shown, status: statusOf(key, now), createdAt: timeText(key.createdAt), createdBy, ...times };
}

function refused(
  path: string,
  code: "out_of_range" | "not_found",
  message: string,
  kind: "rule" | "invalid_reference" = "rule",
) {
  return problemsError([{ kind, problem: { path, code, message } }]);
}
