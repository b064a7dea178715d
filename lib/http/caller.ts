import type { AdminVerifier } from "../auth/admin-token.ts";
import { authenticateUser } from "../auth/administrator.ts";
import { authenticate, type Credentials } from "../auth/authenticate.ts";
import type { Caller, Context } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { type Credential, type Storage, StorageUnavailable } from "../storage.ts";
import type { Asked } from "./asked.ts";

/** What the transport knows beside the Request. */
export type Transport = {
  /** The client's address, by which failed authentication is limited. */
  readonly remoteAddress?: string | undefined;
  /** The body of a GET, which a Request cannot carry. It may be left before its end. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** What the host has cut off the front of the path, so that `Location` can lead back through it. */
  readonly prefix?: string | undefined;
  /** The request as the host's framework has it, with what its middleware found out. */
  readonly incoming?: unknown;
};

/** A caller whom the host vouches for; what is left out is null. */
export type VouchedCaller = Pick<Caller, "tenantId" | "scopes"> & Partial<Caller>;

/**
 * A host's own way to know its callers, in place of API keys. Nothing means 401. What it throws means 401 too and is
 * logged, except an ApiError, which is answered as it is. The body of the request is not for it to read.
 */
export type Authenticate = (
  request: Request,
  transport: Transport,
) => VouchedCaller | null | undefined | Promise<VouchedCaller | null | undefined>;

export type CallerParts = {
  readonly storage: Storage;
  readonly context: Context;
  readonly authenticate: Authenticate | undefined;
  readonly verifyAdmin: AdminVerifier | undefined;
  readonly onAuthenticated: (credential: Credential) => void;
  /** Told of what `authenticate` throws. */
  readonly report: (error: unknown, requestId: string) => void;
};

/** Who calls an integration endpoint: by API key, or as the host says. @throws ApiError `401 unauthorized` */
export async function integrationCaller(
  parts: CallerParts,
  asked: Asked,
  transport: Transport,
  requestId: string,
): Promise<Caller> {
  const { storage, context, onAuthenticated } = parts;
  if (parts.authenticate !== undefined) {
    const report = (error: unknown): void => parts.report(error, requestId);
    return assertHere(storage, await vouched(parts.authenticate, asked.request(), transport, report));
  }
  const key = await authenticate(storage, credentialsOf(asked), context.clock.now());
  onAuthenticated(key);
  const { tenantId, integrationId, id, scopes } = key;
  return { tenantId, integrationId, keyId: id, userId: null, scopes };
}

/** Whom an administrator's token speaks for; whether that is an administrator is asked after the rate. */
export async function adminCaller({ context, verifyAdmin }: CallerParts, asked: Asked): Promise<Caller> {
  const claims = await authenticateUser(verifyAdmin, credentialsOf(asked), context.clock.now());
  return { ...claims, integrationId: null, keyId: null, scopes: [] };
}

function credentialsOf(asked: Asked): Credentials {
  return { apiKey: asked.header("x-api-key"), authorization: asked.header("authorization") };
}

async function vouched(
  ask: Authenticate,
  request: Request,
  transport: Transport,
  report: (error: unknown) => void,
): Promise<Caller> {
  let found: VouchedCaller | null | undefined;
  try {
    found = await ask(request, transport);
  } catch (error) {
    if (error instanceof ApiError || error instanceof StorageUnavailable) throw error;
    report(error);
  }
  // Also false and "": what is left of `session && …` where there is no session.
  if (!found) throw unauthorized("This needs a credential, and none was sent that counts.");
  assertCaller(found);
  return callerOf(found);
}

export function callerOf(vouchedFor: VouchedCaller): Caller {
  const { tenantId, scopes, integrationId = null, keyId = null, userId = null } = vouchedFor;
  return { tenantId: tenantId.toLowerCase(), scopes, integrationId, keyId, userId };
}

/** Hosts that are not written in TypeScript are told what is missing, in their log. */
function assertCaller({ tenantId, scopes }: VouchedCaller): void {
  if (typeof tenantId === "string" && Array.isArray(scopes)) return;
  throw new TypeError("authenticate must answer { tenantId, scopes }, a text and a list of texts, or nothing");
}

/** The host is trusted with who it is, and not with whether the tenant and the integration are here. */
export async function assertHere(storage: Storage, caller: Caller): Promise<Caller> {
  const { tenantId, integrationId } = caller;
  const tenant = await storage.get(tenantId, "tenant", tenantId);
  if (tenant === undefined || tenant.archivedAt !== null) throw unauthorized("The caller's tenant is not known here.");
  if (integrationId !== null && (await storage.get(tenantId, "integration", integrationId)) === undefined) {
    throw new TypeError(`authenticate names integration ${integrationId}, which tenant ${tenantId} does not have`);
  }
  return caller;
}

function unauthorized(message: string): ApiError {
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": 'Bearer realm="crm-integrations"' } });
}
