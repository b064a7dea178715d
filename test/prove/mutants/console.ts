// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const signIn = "lib/console/sign-in.ts";
const checks = "lib/console/request-checks.ts";
const create = "lib/console/create-console.ts";
const token = "lib/console/signed-token.ts";
const passkeys = "lib/console/passkeys.ts";
const webauthn = "lib/console/webauthn.ts";
const access = "lib/console/access-endpoints.ts";

/** Only the admin who was given a link gets in, and only pages of the console act for the admin. */
export const console = [
  fault("a link that works twice", signIn, "tokenId === undefined ? [] : [tokenUse(tokenId, at, now)]", "[]", [
    "console-sign-in",
  ]),
  fault(
    "a link that a user who is no admin uses up",
    signIn,
    "stays unused.\n      await assertAdmin(storage, user);",
    "stays unused.",
    ["console-sign-in"],
  ),
  fault(
    "a sign-in without its limit of the body",
    signIn,
    "readBody(maxBodyBytes) ?? readBody(request, maxBodyBytes)",
    "readBody() ?? readBody(request)",
    ["console-sign-in"],
  ),
  fault(
    "a sign-in that reads a body of any declared length",
    signIn,
    'assertDeclaredLength(request.headers.get("content-length"), maxBodyBytes);',
    "",
    ["console-sign-in"],
  ),
  fault("a link that never expires", signIn, "user.expiresAt <= now", "false", ["console-sign-in"]),
  fault(
    "a session that never expires",
    signIn,
    "claims.expiresAt <= now || (found !== undefined && sessionEnd(found) <= now)",
    "false",
    ["console-access"],
  ),
  fault("a session of a disabled user", signIn, "await assertAdmin(storage, claims);", "", ["console-api"]),
  fault(
    "a signature that isn't compared",
    token,
    "!timingSafeEqual(bytes.subarray(0, macBytes), await macOf(payload))",
    "false",
    ["console-api"],
  ),
  fault("one key for links and sessions", token, "console ${purpose}", "console", ["console-api"]),
  fault("a secret of the host that isn't used", token, "storageKey.update(hostSecret)", "storageKey", ["console-api"]),
  fault("an API key that reaches the API of the console", create, ', "x-api-key"]', "]", ["console-api"]),
  fault(
    "a page that calls the API of another session",
    create,
    "await assertPageSession(request, origin);\n    const session",
    "const session",
    ["console-sessions"],
  ),
  fault(
    "a page that signs out another session",
    create,
    'if (request.method !== "POST") await assertPageSession(request, origin);',
    "",
    ["console-sessions"],
  ),
  fault("a write of another origin", checks, "sentOrigin === origin", "true", ["console-api"]),
  fault("a write without an origin", checks, "sentOrigin === null ? isRead", "sentOrigin === null ? true", [
    "console-api",
  ]),
  fault("a write of another site", checks, "if (isOriginAllowed && isSiteAllowed)", "if (isOriginAllowed)", [
    "console-api",
  ]),
  fault("an API without the check of the origin", create, "assertSameOrigin(request, origin);", "", ["console-api"]),
  fault(
    "a cookie without its prefix",
    checks,
    '"__Host-crm_console" : "crm_console"',
    '"crm_console" : "crm_console"',
    ["console-sign-in"],
  ),
  fault("a challenge that never expires", passkeys, "expiresAt <= context.clock.now()", "false", ["console-passkeys"]),
  fault("a challenge for a passkey of another user", passkeys, "claims.userId === userId", "true", [
    "console-passkeys",
  ]),
  fault("a challenge of another origin", passkeys, "claims.origin === origin ?", "true ?", ["console-passkeys"]),
  fault("a passkey without its counter", passkeys, "counter <= used.counter", "false", ["console-passkeys"]),
  fault(
    "a passkey without user verification",
    webauthn,
    "requireUserVerification: true",
    "requireUserVerification: false",
    ["console-passkeys"],
  ),
  fault("a passkey over http", webauthn, 'protocol !== "https:" && !isLocal', "false", ["console-passkeys"]),
  fault(
    "a challenge that adds a passkey twice",
    access,
    "tokenUseId(challengeId))) !== undefined",
    "tokenUseId(challengeId))) === null",
    ["console-passkeys"],
  ),
  fault("a passkey that another admin adds", access, "userId !== call.caller.userId", "false", ["console-passkeys"]),
];
