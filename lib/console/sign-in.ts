import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { assertAdmin, verifyAdminRequest } from "../auth/admin.ts";
import { type AdminClaims, adminUnauthorizedError } from "../auth/admin-token.ts";
import { assertDeclaredLength, parseBody, readBody } from "../http/body.ts";
import type { HttpRuntime } from "../http/http-runtime.ts";
import type { RequestEnv } from "../http/request-env.ts";
import { ApiError, validationError } from "../model/errors.ts";
import { emptyBody } from "../model/schemas.ts";
import type { RandomBytes } from "../model/uuid.ts";
import { validate } from "../model/validate.ts";
import { type Storage, WriteConflict } from "../storage/storage.ts";
import { type TokenClaims, tokenSigner } from "./signed-token.ts";

const sessionMs = 8 * 60 * 60 * 1000;
const signInMs = 10 * 60 * 1000;
const idBytes = 16;
/** Maximum size of the body of a sign-in, which has only a token. */
const maxBodyBytes = 4 * 1024;

/** The tokens of the console. Every method that returns claims has checked that the user is an active admin. */
export type SignIn = {
  /** Returns a token that opens one session. @throws ApiError `403 insufficient_scope` */
  createToken(user: AdminClaims): Promise<string>;
  /** Opens a session with the token in the body, or with an admin token in the header Authorization. */
  open(request: Request, env: RequestEnv): Promise<{ readonly session: string; readonly claims: TokenClaims }>;
  /** Returns the user of a session. @throws ApiError `401 unauthorized`, `403 insufficient_scope` */
  verifySession(session: string | undefined): Promise<TokenClaims>;
};

/** Returns the sign-in over the storage, the clock and the admin tokens of an API. */
export function signInOf(
  { storage, context, verifyAdmin }: HttpRuntime,
  {
    secret,
    random = randomBytes,
  }: { readonly secret?: Uint8Array | undefined; readonly random?: RandomBytes | undefined },
): SignIn {
  const signIns = tokenSigner("sign-in", context.secret, secret);
  const sessions = tokenSigner("session", context.secret, secret);
  const claimsUntil = ({ tenantId, userId }: AdminClaims, expiresAt: number): TokenClaims => {
    return { tenantId, userId, expiresAt, id: Buffer.from(random(idBytes)).toString("base64url") };
  };
  const verifySignIn = async (token: string, now: number): Promise<TokenClaims> => {
    const claims = await signIns.verify(token);
    if (claims === undefined) throw unauthorized("This sign-in link is invalid. Copy the whole link.");
    if (claims.expiresAt <= now) throw unauthorized("This sign-in link has expired. Get a new one.");
    return claims;
  };
  return {
    async createToken(user) {
      await assertAdmin(storage, user);
      return signIns.sign(claimsUntil(user, context.clock.now() + signInMs));
    },
    async open(request, env) {
      assertDeclaredLength(request.headers.get("content-length"), maxBodyBytes);
      const bytes = await (env.transport?.readBody(maxBodyBytes) ?? readBody(request, maxBodyBytes));
      const now = context.clock.now();
      const authorization = request.headers.get("authorization");
      let user: AdminClaims;
      // Other schemes of Authorization can belong to a gateway.
      if (/^Bearer\b/i.test(authorization ?? "")) {
        if (bytes.length > 0) parse(emptyBody, request, bytes);
        user = await verifyAdminRequest(verifyAdmin, { apiKey: request.headers.get("x-api-key"), authorization }, now);
        await assertAdmin(storage, user);
      } else {
        const signIn = await verifySignIn(parseToken(request, bytes), now);
        // A link of a user who isn't an admin at the moment stays unused.
        await assertAdmin(storage, signIn);
        await recordUse(storage, signIn, now);
        user = signIn;
      }
      const claims = claimsUntil(user, now + sessionMs);
      return { session: await sessions.sign(claims), claims };
    },
    async verifySession(session) {
      const claims = session === undefined ? undefined : await sessions.verify(session);
      if (claims === undefined) throw unauthorized("Sign in to the console.");
      if (claims.expiresAt <= context.clock.now()) throw unauthorized("The session has expired. Sign in again.");
      await assertAdmin(storage, claims);
      return claims;
    },
  };
}

const bodySchema = v.strictObject({ token: v.string("must be a string") });

function parseToken(request: Request, bytes: Uint8Array): string {
  if (bytes.length === 0) {
    const message = "Send the token of a sign-in link in the body, or an admin token in the header Authorization.";
    throw new ApiError("bad_request", message);
  }
  return parse(bodySchema, request, bytes).token;
}

function parse<S extends v.GenericSchema>(schema: S, { headers }: Request, bytes: Uint8Array): v.InferOutput<S> {
  const body = parseBody(bytes, (name) => headers.get(name));
  const result = validate(schema, body, "");
  if ("issues" in result) throw validationError(result.issues);
  return result.value;
}

/** Stores the ID of a token, for longer than the token is valid. @throws ApiError `401 unauthorized` if it is stored already */
async function recordUse(storage: Storage, { tenantId, id }: TokenClaims, now: number): Promise<void> {
  const record = {
    id: `console:${id}`,
    integrationId: null,
    fingerprint: "",
    path: "/console/session",
    ...{ status: 200, body: null, location: null, createdAt: now, archivedAt: null },
  };
  try {
    await storage.commit(tenantId, now, (at) => [
      { op: "insert", kind: "idempotencyRecord", record: { ...record, updatedAt: at } },
    ]);
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    throw unauthorized("This sign-in link was already used. Each link works once. Get a new one.");
  }
}

function unauthorized(message: string): ApiError {
  return adminUnauthorizedError(message, false);
}
