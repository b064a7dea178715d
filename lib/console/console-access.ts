import type { ConsoleAccess, ConsoleSession } from "../model/console-access.ts";
import type { Write } from "../storage/storage.ts";

const hourMs = 60 * 60 * 1000;
const idleMs = 12 * hourMs;
/** The longest time from the sign-in to the end of a session. */
export const sessionMs = 30 * 24 * hourMs;
export const invitationMs = 7 * 24 * hourMs;
/** Accuracy of `lastUsedAt`. A write per request would cost too much. */
const lastUsedAccuracyMs = 60_000;
/** A sign-in ends the session that was used first, if the user has more. */
const maxSessions = 20;
const maxUserAgentLength = 300;

/** Returns the time at which a session ends if it isn't used again. */
export function sessionEnd({ createdAt, lastUsedAt }: ConsoleSession): number {
  return Math.min(lastUsedAt + idleMs, createdAt + sessionMs);
}

/** Returns the sessions that haven't expired, the one that was used last at the end. */
export function activeSessions(access: ConsoleAccess | undefined, now: number): readonly ConsoleSession[] {
  const active = access?.sessions.filter((session) => now < sessionEnd(session)) ?? [];
  return active.toSorted((a, b) => a.lastUsedAt - b.lastUsedAt);
}

/** Returns the sessions with a new one. */
export function withSession(
  access: ConsoleAccess | undefined,
  { userAgent, ...session }: Omit<ConsoleSession, "lastUsedAt">,
): readonly ConsoleSession[] {
  const { createdAt } = session;
  const added = { ...session, userAgent: userAgent.slice(0, maxUserAgentLength), lastUsedAt: createdAt };
  return [...activeSessions(access, createdAt), added].slice(-maxSessions);
}

/** Returns the session with this use. The same session if the last use was less than a minute ago. */
export function withUse(session: ConsoleSession, now: number): ConsoleSession {
  return Math.abs(now - session.lastUsedAt) < lastUsedAccuracyMs ? session : { ...session, lastUsedAt: now };
}

/** The parts of the access of a user that a write replaces. */
export type AccessChange = Partial<Pick<ConsoleAccess, "sessions" | "invitation" | "passkeys">>;

/** Returns the write that changes the access of a user. `stored` is the current record, if there is one. */
export function accessWrite(
  userId: string,
  stored: ConsoleAccess | undefined,
  change: AccessChange,
  at: number,
  now: number,
): Write {
  const kind = "consoleAccess";
  if (stored === undefined) {
    const times = { createdAt: now, updatedAt: at, archivedAt: null };
    const none = { sessions: [], invitation: null, passkeys: [] };
    return { op: "insert", kind, record: { id: userId, ...none, ...change, ...times } };
  }
  const record = { ...stored, ...change, updatedAt: at };
  return { op: "update", kind, record, expectedUpdatedAt: stored.updatedAt, before: stored };
}

/** Returns the ID of the record that says that a token was used. */
export const tokenUseId = (tokenId: string): string => `console:${tokenId}`;

/** Returns a write that fails if the token was used. The record exists for longer than the token is valid. */
export function tokenUse(tokenId: string, at: number, now: number): Write {
  const response = { status: 200, body: null, location: null };
  const request = { integrationId: null, fingerprint: "", path: "/console/session" };
  return {
    op: "insert",
    kind: "idempotencyRecord",
    record: { id: tokenUseId(tokenId), ...request, ...response, createdAt: now, updatedAt: at, archivedAt: null },
  };
}
