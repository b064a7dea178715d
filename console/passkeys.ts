import { CrmError } from "crm-integrations/client";
import { call, type Session } from "./api.ts";

/** The options for both functions of `navigator.credentials`, with binary values in Base64url. */
type Options = {
  readonly get: Omit<PublicKeyCredentialRequestOptions, "challenge"> & { readonly challenge: string };
  readonly create?: Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> & {
    readonly challenge: string;
    readonly user: Omit<PublicKeyCredentialUserEntity, "id"> & { readonly id: string };
    readonly excludeCredentials: readonly { readonly type: "public-key"; readonly id: string }[];
  };
};

/** Whether this browser has passkeys. */
export const hasPasskeys: boolean = isSecureContext && typeof PublicKeyCredential === "function";

const readOptions = async (): Promise<Options> => (await call<Options>("POST", "passkey-options")).data;

/** Signs in with a passkey that the user chooses. @throws CrmError */
export async function signInWithPasskey(): Promise<Session> {
  const { get } = await readOptions();
  const publicKey = { ...get, challenge: toBytes(get.challenge) };
  const { id, response } = await ask((signal) => navigator.credentials.get({ publicKey, signal }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  const passkey = {
    id,
    clientDataJSON: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
    userHandle: userHandle ? toText(userHandle) : undefined,
  };
  return (await call<Session>("POST", "session", { body: { passkey } })).data;
}

/** Creates a passkey of the signed-in user. `url` is that of the console access of the user. @throws CrmError */
export async function addPasskey(url: string, name: string): Promise<void> {
  const { create } = await readOptions();
  if (create === undefined) return;
  const publicKey = {
    ...create,
    challenge: toBytes(create.challenge),
    user: { ...create.user, id: toBytes(create.user.id) },
    excludeCredentials: create.excludeCredentials.map((known) => ({ ...known, id: toBytes(known.id) })),
  };
  const { id, response } = await ask((signal) => navigator.credentials.create({ publicKey, signal }));
  const clientDataJSON = toText(response.clientDataJSON);
  const authenticatorData = toText((response as AuthenticatorAttestationResponse).getAuthenticatorData());
  await call("POST", `${url}/passkeys`, { body: { name, passkey: { id, clientDataJSON, authenticatorData } } });
}

/** The reasons of the errors of a browser. Others have only its message. */
const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: "passkey_canceled",
  AbortError: "passkey_canceled",
  InvalidStateError: "passkey_known",
};

let controller = new AbortController();

/** Asks the browser for a passkey, in place of its last question. */
async function ask(run: (signal: AbortSignal) => Promise<Credential | null>): Promise<PublicKeyCredential> {
  controller.abort();
  controller = new AbortController();
  try {
    return (await run(controller.signal)) as PublicKeyCredential;
  } catch (error) {
    const { name, message } = error as Error;
    throw new CrmError(0, { error: { code: "unexpected", message, details: { reason: reasons[name] } } }, null);
  }
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
