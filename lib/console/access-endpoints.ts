import * as v from "valibot";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { requireRecord } from "../api/require-record.ts";
import { stateConflict } from "../api/rules/record-diff.ts";
import { hashKey } from "../auth/api-key.ts";
import type { ConsoleAccess } from "../model/console-access.ts";
import { formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import type { Records } from "../model/kinds.ts";
import { nonEmptyText } from "../model/scalars.ts";
import { emptyBody } from "../model/schemas.ts";
import { user } from "../model/user.ts";
import { accessWrite, activeSessions, invitationMs, sessionEnd, tokenUse, tokenUseId } from "./console-access.ts";
import { passkeyError } from "./passkey-errors.ts";
import { newPasskeySchema, type Passkeys, withPasskey } from "./passkeys.ts";
import type { SignIn } from "./sign-in.ts";

const tag = {
  name: "Console access",
  description: "The sessions, the invitation and the passkeys of a user. Only the console has them.",
};
const path = "/admin/users/:id/console-access";

/** Returns the endpoints that only the console has. They have the same checks as those of the API. */
export function accessEndpoints(
  { createInvitationToken }: Pick<SignIn, "createInvitationToken">,
  passkeys: Pick<Passkeys, "verifyNew">,
): readonly Endpoint[] {
  return [
    endpoint({
      ...{ name: "getConsoleAccess", method: "GET", path, access: "admin", tag },
      summary: "Retrieve the sessions, the invitation and the passkeys of a user",
      description: "Returns the sessions, the one that was used last first.",
      success: { status: 200 },
      async handle(call, context) {
        const { access } = await readAccess(call, context);
        const now = context.clock.now();
        const sessions = activeSessions(access, now).toReversed();
        return {
          status: 200,
          body: {
            data: {
              sessions: sessions.map(toSessionJson),
              ...invitationJson(access, now),
              passkeys: access?.passkeys.map(toPasskeyJson) ?? [],
            },
          },
        };
      },
    }),
    endpoint({
      ...{ name: "endConsoleSession", method: "DELETE", path: `${path}/sessions/:sessionId`, access: "admin", tag },
      summary: "End a session",
      description: "The next request of the session gets 401.",
      success: { status: 204 },
      async handle(call, context) {
        const { access, userId } = await readAccess(call, context);
        const active = activeSessions(access, context.clock.now());
        const others = active.filter(({ id }) => id !== call.params.sessionId);
        if (others.length === active.length) throw new ApiError("not_found", "The user has no session with this ID.");
        return (at, now) => ({ status: 204, writes: [accessWrite(userId, access, { sessions: others }, at, now)] });
      },
    }),
    endpoint({
      ...{ name: "createConsoleInvitation", method: "POST", path: `${path}/invitation`, access: "admin", tag },
      summary: "Invite an admin to the console",
      description: "The token signs the user in once, within 7 days. It replaces an earlier invitation.",
      body: emptyBody,
      success: { status: 201 },
      errors: ["conflict"],
      async handle(call, context) {
        const { access, userId, record } = await readAccess(call, context);
        if (record.role !== "admin" || !record.active || record.archivedAt !== null)
          throw stateConflict("Only active admins can use the console.", "not_an_admin", []);
        const { tenantId, userId: createdBy } = call.caller;
        const createdAt = context.clock.now();
        const expiresAt = createdAt + invitationMs;
        const token = await createInvitationToken({ tenantId, userId }, expiresAt);
        const invitation = { hash: hashKey(token), createdBy, createdAt, expiresAt };
        const data = { expiresAt: formatDateTime(expiresAt) };
        return (at, now) => ({
          status: 201,
          body: { data: { token, ...data } },
          replayBody: { data: { token: null, ...data } },
          writes: [accessWrite(userId, access, { invitation }, at, now)],
        });
      },
    }),
    endpoint({
      ...{ name: "withdrawConsoleInvitation", method: "DELETE", path: `${path}/invitation`, access: "admin", tag },
      summary: "Withdraw the invitation of a user",
      description: "Has no effect if there is none.",
      success: { status: 204 },
      async handle(call, context) {
        const { access, userId } = await readAccess(call, context);
        if (access === undefined || access.invitation === null) return { status: 204 };
        return (at, now) => ({ status: 204, writes: [accessWrite(userId, access, { invitation: null }, at, now)] });
      },
    }),
    endpoint({
      ...{ name: "addPasskey", method: "POST", path: `${path}/passkeys`, access: "admin", tag },
      summary: "Add a passkey",
      description: "The user must be the caller. The passkey is the response of the browser to the options.",
      body: v.strictObject({ name: nonEmptyText(100), passkey: newPasskeySchema }),
      success: { status: 201 },
      errors: ["conflict"],
      async handle(call, context) {
        const { access, userId } = await readAccess(call, context);
        const { tenantId } = call.caller;
        if (userId !== call.caller.userId) throw passkeyError("conflict", "not_own_user");
        const { name, passkey } = call.body;
        const { challengeId, ...verified } = await passkeys.verifyNew(passkey, { tenantId, userId });
        if ((await context.storage.get(tenantId, "idempotencyRecord", tokenUseId(challengeId))) !== undefined)
          throw passkeyError("conflict", "passkey_used");
        const added = { ...verified, name, createdAt: context.clock.now(), lastUsedAt: null };
        const changed = [...withPasskey(access, added)];
        return (at, now) => ({
          status: 201,
          body: { data: toPasskeyJson(added) },
          writes: [tokenUse(challengeId, at, now), accessWrite(userId, access, { passkeys: changed }, at, now)],
        });
      },
    }),
    endpoint({
      ...{ name: "removePasskey", method: "DELETE", path: `${path}/passkeys/:passkeyId`, access: "admin", tag },
      summary: "Remove a passkey",
      description: "The passkey can't sign in anymore. Its sessions stay.",
      success: { status: 204 },
      async handle(call, context) {
        const { access, userId } = await readAccess(call, context);
        const others = access?.passkeys.filter(({ id }) => id !== call.params.passkeyId) ?? [];
        if (others.length === (access?.passkeys.length ?? 0))
          throw new ApiError("not_found", "The user has no passkey with this ID.");
        return (at, now) => ({ status: 204, writes: [accessWrite(userId, access, { passkeys: others }, at, now)] });
      },
    }),
  ];
}

/** Returns the user in the path and the stored access. @throws ApiError `404 not_found` */
async function readAccess(call: EndpointCall, context: HandlerContext) {
  const record = (await requireRecord(user, call, context, true)) as unknown as Records["user"];
  const access = await context.storage.get(call.caller.tenantId, "consoleAccess", record.id);
  return { record, userId: record.id, access };
}

function toSessionJson(session: ConsoleAccess["sessions"][number]) {
  const { id, userAgent, createdAt, lastUsedAt } = session;
  const times = { createdAt, lastUsedAt, expiresAt: sessionEnd(session) };
  return {
    id,
    userAgent,
    ...Object.fromEntries(Object.entries(times).map(([name, time]) => [name, formatDateTime(time)])),
  };
}

function toPasskeyJson({ id, name, createdAt, lastUsedAt }: ConsoleAccess["passkeys"][number]) {
  const used = lastUsedAt === null ? null : formatDateTime(lastUsedAt);
  return { id, name, createdAt: formatDateTime(createdAt), lastUsedAt: used };
}

function invitationJson(access: ConsoleAccess | undefined, now: number) {
  const invitation = access?.invitation ?? null;
  if (invitation === null || invitation.expiresAt <= now) return { invitation: null };
  const { createdBy, createdAt, expiresAt } = invitation;
  return {
    invitation: { createdBy, createdAt: formatDateTime(createdAt), expiresAt: formatDateTime(expiresAt) },
  };
}
