import * as v from "valibot";
import type { EndpointCall, HandlerContext, HandlerResult, Proposal } from "../api/endpoint.ts";
import { apiKeyStatus, revokeWrite, toApiKeyJson } from "../api/rules/api-key-status.ts";
import { stateConflict } from "../api/rules/record-diff.ts";
import { hashKey, makeApiKey, maskKey } from "../auth/api-key.ts";
import { dateTime } from "../model/date-time.ts";
import { type ApiError, type ValidationIssue, validationError } from "../model/errors.ts";
import { type ApiKey, type Integration, type Scope, scopes } from "../model/integration.ts";
import { normalizeName } from "../model/normalize.ts";
import { describe, nonEmptyText, uuid } from "../model/scalars.ts";
import { quote } from "../model/suggest.ts";
import type { Write } from "../storage/storage.ts";

/** Maximum number of active API keys per integration: the one in use, and its replacement. */
const maxActiveKeys = 2;

const optional = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.optional(describe(schema, description));

export const generateKeyBody = v.optional(
  v.strictObject({
    integrationId: optional(
      uuid,
      "ID of the integration that gets the API key. Without `integrationId` and `name`, it is the tenant's first integration.",
    ),
    name: optional(
      nonEmptyText(255),
      "Name of the integration that gets the API key. If there is none with this name, it is created. With " +
        "`integrationId`, it must be the name of that integration.",
    ),
    scopes: optional(
      v.pipe(
        v.array(v.picklist(scopes), "must be a list of scopes"),
        v.transform((list) => [...new Set(list)]),
      ),
      "The scopes of a new integration. Required, except for the tenant's first integration, which has every scope by " +
        "default. For an existing integration they must be its scopes: this endpoint never changes them.",
    ),
    expiresAt: optional(dateTime, "Expiry time, in the future. Omit it for an API key that doesn't expire."),
    rotate: optional(v.boolean("must be true or false"), "Whether to revoke the older API key if two are active."),
  }),
  {},
);

type GenerationBody = v.InferOutput<typeof generateKeyBody>;

/**
 * Creates an API key and, if needed, its integration. The response is the only one that shows the key.
 * @throws ApiError `409 conflict` if the integration differs from the request or has two active keys
 */
export async function generateApiKey(
  { body, caller }: EndpointCall<unknown, GenerationBody>,
  context: HandlerContext,
): Promise<HandlerResult | Proposal> {
  const now = context.clock.now();
  const current = await context.storage.list(caller.tenantId, "integration", {});
  const found = findIntegration(current, body);
  const issues: ValidationIssue[] = [];
  if (found === undefined && body.integrationId !== undefined) issues.push(unknownIntegration);
  else if (found === undefined && current.length > 0 && !body.scopes) issues.push(scopesRequired(body.name ?? ""));
  if (body.expiresAt !== undefined && body.expiresAt <= now) issues.push(expiryInPast(now));
  if (issues.length > 0) throw validationError(issues);
  if (found !== undefined) assertUnchanged(found, body);
  const owner = found ?? {
    id: context.newId(),
    name: body.name ?? "Integration",
    scopes: body.scopes ?? [...scopes],
    archivedAt: null,
  };
  const keys = await context.storage.list(caller.tenantId, "apiKey", { where: { integrationId: owner.id } });
  const active = keys
    .filter((key) => apiKeyStatus(key, now) === "active")
    .toSorted((a, b) => a.createdAt - b.createdAt);
  if (active.length >= maxActiveKeys && body.rotate !== true) throw tooMany(active.length);
  const value = makeApiKey("live", context.random);
  const id = context.newId();
  return (at, now) => {
    const integration: Integration = found ?? { ...owner, createdAt: now, updatedAt: at };
    const times = { createdAt: now, updatedAt: at, archivedAt: null, lastUsedAt: null, revokedAt: null };
    const names = {
      integrationId: owner.id,
      hash: hashKey(value),
      maskedKey: maskKey(value),
      createdBy: caller.userId,
    };
    const key: ApiKey = { id, ...names, expiresAt: body.expiresAt ?? null, ...times };
    const created: Write[] = found === undefined ? [{ op: "insert", kind: "integration", record: integration }] : [];
    const revoked = active
      .slice(0, Math.max(0, active.length - maxActiveKeys + 1))
      .map((each) => revokeWrite(each, at, now));
    const data = toApiKeyJson(key, integration, now);
    const writes: Write[] = [...created, ...revoked, { op: "insert", kind: "apiKey", record: key }];
    return {
      status: 201,
      body: { data: { ...data, key: value } },
      replayBody: { data: { ...data, key: null } },
      writes,
    };
  };
}

/** Returns the integration with this ID or name, or else the tenant's first. The first one is the oldest. */
function findIntegration(
  current: readonly Integration[],
  { integrationId, name }: GenerationBody,
): Integration | undefined {
  if (integrationId !== undefined) return current.find(({ id }) => id === integrationId);
  if (name !== undefined) return current.find((each) => normalizeName(each.name) === normalizeName(name));
  return current.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
}

/** @throws ApiError `409 conflict` if the name or the scopes in the request are not those of the integration */
function assertUnchanged(found: Integration, { name, scopes }: GenerationBody): void {
  if (name !== undefined && normalizeName(name) !== normalizeName(found.name)) {
    const message =
      `The integration of this integrationId is named ${quote(found.name)}, and this request can't rename it. ` +
      "Send integrationId or name alone.";
    throw stateConflict(message, "name_differs", [found.name]);
  }
  if (scopes !== undefined && !isSameSet(scopes, found.scopes)) {
    const message =
      `The integration ${quote(found.name)} has other scopes: ${found.scopes.join(", ") || "none"}. ` +
      "Leave out scopes to keep them, or send the name of another integration.";
    throw stateConflict(message, "scopes_differ", found.scopes);
  }
}

function isSameSet(a: readonly Scope[], b: readonly Scope[]): boolean {
  return a.every((scope) => b.includes(scope)) && b.every((scope) => a.includes(scope));
}

const unknownIntegration: ValidationIssue = {
  kind: "invalid_reference",
  problem: {
    path: "/integrationId",
    code: "not_found",
    message: "The integration in integrationId doesn't exist.",
  },
};

function scopesRequired(name: string): ValidationIssue {
  const message = `scopes is required: no integration is named ${quote(name)}, and a new one needs them.`;
  return { kind: "shape", problem: { path: "/scopes", code: "required", message, allowed: [...scopes] } };
}

function expiryInPast(now: number): ValidationIssue {
  const limits = { notBefore: new Date(now).toISOString() };
  const message = "expiresAt must be in the future.";
  return { kind: "rule", problem: { path: "/expiresAt", code: "out_of_range", message, limits } };
}

function tooMany(count: number): ApiError {
  const message = `The integration has ${count} active API keys. Revoke one, or send rotate: true to revoke the older one.`;
  return stateConflict(message, "active_key_limit", ["revoke", "rotate"]);
}
