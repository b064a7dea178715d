import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { CrmError } from "crm-integrations/client";
import { call, type Session } from "./api.ts";
import { loadPart } from "./load-part.ts";

/** The options for both functions of `navigator.credentials`. */
type Options = {
  readonly get: PublicKeyCredentialRequestOptionsJSON;
  readonly create?: PublicKeyCredentialCreationOptionsJSON;
};

/** Whether this browser has passkeys. */
export const hasPasskeys: boolean = isSecureContext && typeof PublicKeyCredential === "function";

/** Loads the library on first use. @throws CrmError */
export const passkeyLibrary = () => loadPart(() => import("./passkey-library.ts"));

const readOptions = async (): Promise<Options> => (await call<Options>("POST", "passkey-options")).data;

/** Signs in with a passkey that the user chooses. @throws CrmError */
export async function signInWithPasskey(): Promise<Session> {
  const [{ get }, { startAuthentication }] = await Promise.all([readOptions(), passkeyLibrary()]);
  const { id, response } = await ask<AuthenticationResponseJSON>(() => startAuthentication({ optionsJSON: get }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const passkey = { id, clientDataJSON, authenticatorData, signature, userHandle };
  return (await call<Session>("POST", "session", { body: { passkey } })).data;
}

/** Creates a passkey of the signed-in user. `url` is that of the console access of the user. @throws CrmError */
export async function addPasskey(url: string, name: string): Promise<void> {
  const [{ create }, { startRegistration }] = await Promise.all([readOptions(), passkeyLibrary()]);
  if (create === undefined) return;
  const { id, response } = await ask<RegistrationResponseJSON>(() => startRegistration({ optionsJSON: create }));
  const { clientDataJSON, authenticatorData } = response;
  await call("POST", `${url}/passkeys`, { body: { name, passkey: { id, clientDataJSON, authenticatorData } } });
}

/** The reasons of the errors of a browser. Others have only its message. */
const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: "passkey_canceled",
  AbortError: "passkey_canceled",
  InvalidStateError: "passkey_known",
};

async function ask<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { name, message } = error as Error;
    throw new CrmError(0, { error: { code: "unexpected", message, details: { reason: reasons[name] } } }, null);
  }
}
