import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { assertAdmin, verifyAdminRequest } from "../auth/admin.ts";
import type { AdminClaims } from "../auth/admin-token.ts";
import { equalHash, hashKey } from "../auth/api-key.ts";
import { assertDeclaredLength, parseBody, readBody } from "../http/body.ts";
import type { RequestEnv } from "../http/http-exchange.ts";
import type { HttpRuntime } from "../http/http-runtime.ts";
import type { ConsoleAccess, ConsoleSession } from "../model/console-access.ts";
import { ApiError, validationError } from "../model/errors.ts";
import { emptyBody } from "../model/schemas.ts";
import type { RandomBytes } from "../model/uuid.ts";
import { validate } from "../model/validate.ts";
import { StorageUnavailable, type Write, WriteConflict } from "../storage/storage.ts";
import {
  type AccessChange,
  accessWrite,
  sessionEnd,
  sessionMs,
  tokenUse,
  withSession,
  withUse,
} from "./console-access.ts";
import { passkeyError } from "./passkey-errors.ts";
import { type Passkeys, passkeySchema, withPasskeyUse } from "./passkeys.ts";
import { unauthorized } from "./request-checks.ts";
import { type TokenClaims, tokenSigner } from "./signed-token.ts";

const linkMs = 10 * 60 * 1000;
const idBytes = 16;
/** Maximum size of the body of a sign-in, which has only a token or the response of a passkey. */
const maxBodyBytes = 4 * 1024;
/** Retry limit. In each round, another write of the same user succeeds. */
const maxAttempts = 200;

/** The user and the session of a request. `expiresAt` is the end of the session if it isn't used again. */
export type SessionClaims = AdminClaims & { readonly sessionId: string; readonly expiresAt: number };

/** The tokens of the console. Every method that returns claims has checked that the user is an active admin. */
export type SignIn = {
  /** Returns the token of a link, which opens one session. @throws ApiError `403 insufficient_scope` */
  createToken(user: AdminClaims): Promise<string>;
  /** Returns the token of an invitation. It is valid while its hash is stored. */
  createInvitationToken(user: AdminClaims, expiresAt: number): Promise<string>;
  /**
   * Opens a session with the token or the passkey in the body, or with an admin token in the header Authorization.
   * @param origin of the console in the browser
   */
  open(
    request: Request,
    env: RequestEnv,
    origin: string,
  ): Promise<{ readonly session: string; readonly claims: SessionClaims }>;
  /**
   * Returns the user of a session, and records its use.
   * @throws ApiError `401 unauthorized`, `403 insufficient_scope`
   */
  verifySession(session: string | undefined): Promise<SessionClaims>;
  /** Ends a session. Has no effect on one that has ended. */
  endSession(session: string | undefined): Promise<void>;
};

/**
 * The user of a sign-in, and the link, the challenge or the invitation that it uses up. An admin token can be used
 * again.
 */
type Proof = {
  readonly user: AdminClaims;
  readonly tokenId?: string;
  readonly invitationHash?: string;
  readonly passkey?: { readonly id: string; readonly counter: number };
};

/** Returns the sign-in over the storage, the clock and the admin tokens of an API. */
export function signInOf(
  { storage, context, verifyAdmin, background, report }: HttpRuntime,
  {
    secret,
    random = randomBytes,
  }: { readonly secret?: Uint8Array | undefined; readonly random?: RandomBytes | undefined },
  passkeys: Pick<Passkeys, "verifySignIn">,
): SignIn {
  const links = tokenSigner("sign-in", context.secret, secret);
  const invitations = tokenSigner("invitation", context.secret, secret);
  const sessions = tokenSigner("session", context.secret, secret);
  const recording = new Set<string>();
  const claimsUntil = ({ tenantId, userId }: AdminClaims, expiresAt: number): TokenClaims => {
    return { tenantId, userId, expiresAt, id: Buffer.from(random(idBytes)).toString("base64url") };
  };
  const readAccess = ({ tenantId, userId }: AdminClaims) => storage.get(tenantId, "consoleAccess", userId);

  /**
   * Commits what `change` returns for the stored access. Runs it again after a conflict. Writes nothing for undefined.
   */
  async function changeAccess(
    user: AdminClaims,
    now: number,
    change: (stored: ConsoleAccess | undefined) => AccessChange | undefined,
    also: (at: number) => readonly Write[] = () => [],
  ): Promise<void> {
    for (let count = 0; count < maxAttempts; count++) {
      const stored = await readAccess(user);
      const changed = change(stored);
      if (changed === undefined) return;
      try {
        return await storage.commit(user.tenantId, now, (at) => [
          ...also(at),
          accessWrite(user.userId, stored, changed, at, now),
        ]);
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error;
        // Only `also` can write a record that exists.
        if (error.kind === "idempotencyRecord") throw error;
      }
    }
    throw new StorageUnavailable("console: too many write conflicts.");
  }

  async function readProof(request: Request, bytes: Uint8Array, now: number, origin: string): Promise<Proof> {
    const authorization = request.headers.get("authorization");
    // Other schemes of Authorization can belong to a gateway.
    if (/^Bearer\b/i.test(authorization ?? "")) {
      if (bytes.length > 0) parse(() => emptyBody, request, bytes);
      return {
        user: await verifyAdminRequest(verifyAdmin, { apiKey: request.headers.get("x-api-key"), authorization }, now),
      };
    }
    const body = parseSignIn(request, bytes);
    if ("passkey" in body) {
      const { user, challengeId, counter } = await passkeys.verifySignIn(body.passkey, origin);
      return { user, tokenId: challengeId, passkey: { id: body.passkey.id, counter } };
    }
    const { token } = body;
    const link = await links.verify(token);
    const user = link ?? (await invitations.verify(token));
    if (user === undefined) throw unauthorized("This sign-in link is invalid. Copy the whole link.", "link_invalid");
    if (user.expiresAt <= now) throw unauthorized("This sign-in link has expired. Get a new one.", "link_expired");
    return link === undefined ? { user, invitationHash: hashKey(token) } : { user, tokenId: link.id };
  }

  /** Records a use in the background. A conflict means that another request has changed the access. */
  function recordUse({ tenantId, userId }: AdminClaims, stored: ConsoleAccess, used: ConsoleSession): void {
    const { hash, lastUsedAt } = used;
    if (recording.has(hash)) return;
    recording.add(hash);
    const changed = stored.sessions.map((each) => (each.hash === hash ? used : each));
    const commit = () =>
      storage.commit(tenantId, lastUsedAt, (at) => [
        accessWrite(userId, stored, { sessions: changed }, at, lastUsedAt),
      ]);
    void background
      .run(commit)
      .catch((error) => error instanceof WriteConflict || report(error, used.id))
      .finally(() => recording.delete(hash));
  }

  return {
    async createToken(user) {
      await assertAdmin(storage, user);
      return links.sign(claimsUntil(user, context.clock.now() + linkMs));
    },
    createInvitationToken: (user, expiresAt) => invitations.sign(claimsUntil(user, expiresAt)),
    async open(request, env, origin) {
      assertDeclaredLength(request.headers.get("content-length"), maxBodyBytes);
      const bytes = await (env.transport?.readBody(maxBodyBytes) ?? readBody(request, maxBodyBytes));
      const now = context.clock.now();
      const { user, tokenId, invitationHash, passkey } = await readProof(request, bytes, now, origin);
      // The link of a user who isn't an admin at the moment stays unused.
      await assertAdmin(storage, user);
      const { tenantId, userId } = user;
      const expiresAt = now + sessionMs;
      const session = await sessions.sign(claimsUntil(user, expiresAt));
      const userAgent = request.headers.get("user-agent") ?? "";
      const added = { id: context.newId(), hash: hashKey(session), userAgent, createdAt: now };
      const change = (stored: ConsoleAccess | undefined) => {
        const invitation = stored?.invitation ?? null;
        if (invitationHash !== undefined && !equalHash(invitation?.hash ?? "", invitationHash))
          throw unauthorized(
            "This invitation was already used, replaced or withdrawn. Get a new one.",
            "invitation_used",
          );
        return {
          sessions: [...withSession(stored, added)],
          ...(invitationHash !== undefined && { invitation: null }),
          ...(passkey && { passkeys: [...withPasskeyUse(stored, passkey, now)] }),
        };
      };
      const uses = (at: number) => (tokenId === undefined ? [] : [tokenUse(tokenId, at, now)]);
      await changeAccess(user, now, change, uses).catch((error) => {
        if (!(error instanceof WriteConflict)) throw error;
        if (passkey) throw passkeyError("unauthorized", "passkey_used");
        throw unauthorized("This sign-in link was already used. Each link works once. Get a new one.", "link_used");
      });
      return {
        session,
        claims: { tenantId, userId, sessionId: added.id, expiresAt: sessionEnd({ ...added, lastUsedAt: now }) },
      };
    },
    async verifySession(session) {
      const claims = session === undefined ? undefined : await sessions.verify(session);
      if (session === undefined || claims === undefined) throw unauthorized("Sign in to the console.");
      const now = context.clock.now();
      const [stored, hash] = [await readAccess(claims), hashKey(session)];
      const found = stored?.sessions.find((each) => equalHash(each.hash, hash));
      if (claims.expiresAt <= now || (found !== undefined && sessionEnd(found) <= now))
        throw unauthorized("The session has expired. Sign in again.");
      if (stored === undefined || found === undefined) throw unauthorized("The session was ended. Sign in again.");
      await assertAdmin(storage, claims);
      const used = withUse(found, now);
      if (used !== found) recordUse(claims, stored, used);
      const { tenantId, userId } = claims;
      return { tenantId, userId, sessionId: used.id, expiresAt: sessionEnd(used) };
    },
    async endSession(session) {
      const claims = session === undefined ? undefined : await sessions.verify(session);
      if (session === undefined || claims === undefined) return;
      const hash = hashKey(session);
      await changeAccess(claims, context.clock.now(), (stored) => {
        const others = stored?.sessions.filter((each) => !equalHash(each.hash, hash)) ?? [];
        if (stored === undefined || others.length === stored.sessions.length) return undefined;
        return { sessions: others };
      });
    },
  };
}

const tokenSchema = v.strictObject({ token: v.string("must be a string") });
const passkeyBodySchema = v.strictObject({ passkey: passkeySchema });

function parseSignIn(request: Request, bytes: Uint8Array) {
  if (bytes.length === 0) {
    const message = "Send the token of a sign-in link in the body, or an admin token in the header Authorization.";
    throw new ApiError("bad_request", message);
  }
  return parse((body) => (Object.hasOwn(Object(body), "passkey") ? passkeyBodySchema : tokenSchema), request, bytes);
}

/** Parses a body with the schema that `schemaOf` returns for it. */
function parse<S extends v.GenericSchema>(
  schemaOf: (body: unknown) => S,
  { headers }: Request,
  bytes: Uint8Array,
): v.InferOutput<S> {
  const body = parseBody(bytes, (name) => headers.get(name));
  const result = validate(schemaOf(body), body, "");
  if ("issues" in result) throw validationError(result.issues);
  return result.value;
}
