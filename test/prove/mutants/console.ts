// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const signIn = "lib/console/sign-in.ts";
const checks = "lib/console/request-checks.ts";
const create = "lib/console/create-console.ts";
const token = "lib/console/signed-token.ts";
const passkeys = "lib/console/passkeys.ts";
const webauthn = "lib/console/webauthn.ts";
const access = "lib/console/access-endpoints.ts";

/** Only the admin with the link can sign in, and only pages of the console act for the admin. */
export const console = [
  ...faults(signIn, "console-sign-in", [
    ["a link that works twice", "tokenId === undefined ? [] : [tokenUse(tokenId, at, now)]", "[]"],
    [
      "a link that a user who is no admin uses up",
      "stays unused.\n      await assertAdmin(storage, user);",
      "stays unused.",
    ],
    [
      "a sign-in without its limit of the body",
      "readBody(maxBodyBytes) ?? readBody(request, maxBodyBytes)",
      "readBody() ?? readBody(request)",
    ],
    [
      "a sign-in that reads a body of any declared length",
      'assertDeclaredLength(request.headers.get("content-length"), maxBodyBytes);',
      "",
    ],
    ["a link that never expires", "user.expiresAt <= now", "false"],
    [
      "a session that never expires",
      "claims.expiresAt <= now || (found !== undefined && sessionEnd(found) <= now)",
      "false",
      "console-access",
    ],
    ["a session of a disabled user", "await assertAdmin(storage, claims);", "", "console-api"],
  ]),
  ...faults(token, "console-api", [
    ["a signature that isn't compared", "!timingSafeEqual(bytes.subarray(0, macBytes), await macOf(payload))", "false"],
    ["one key for links and invitations", "console ${purpose}", "console", "console-invitations"],
    ["a secret of the host that isn't used", "storageKey.update(hostSecret)", "storageKey"],
  ]),
  ...faults(create, "console-api", [
    ["an API key that reaches the API of the console", ', "x-api-key"]', "]"],
    [
      "a page that calls the API of another session",
      "await assertPageSession(request, origin);\n    const session",
      "const session",
      "console-sessions",
    ],
    [
      "a page that signs out another session",
      'if (request.method !== "POST") await assertPageSession(request, origin);',
      "",
      "console-sessions",
    ],
    ["an API without the check of the origin", "assertSameOrigin(request, origin);", ""],
  ]),
  ...faults(checks, "console-api", [
    ["a write of another origin", "sentOrigin === origin", "true"],
    ["a write without an origin", "sentOrigin === null ? isRead", "sentOrigin === null ? true"],
    ["a write of another site", "if (isOriginAllowed && isSiteAllowed)", "if (isOriginAllowed)"],
    [
      "a cookie without its prefix",
      '"__Host-crm_console" : "crm_console"',
      '"crm_console" : "crm_console"',
      "console-sign-in",
    ],
  ]),
  ...faults(passkeys, "console-passkeys", [
    ["a challenge that never expires", "expiresAt <= context.clock.now()", "false"],
    ["a challenge for a passkey of another user", "claims.userId === userId", "true"],
    ["a challenge of another origin", "claims.origin === origin ?", "true ?"],
    ["a passkey without its counter", "counter <= used.counter", "false"],
  ]),
  ...faults(webauthn, "console-passkeys", [
    ["a passkey without user verification", "requireUserVerification: true", "requireUserVerification: false"],
    ["a passkey over http", 'protocol !== "https:" && !isLocal', "false"],
  ]),
  ...faults(access, "console-passkeys", [
    [
      "a challenge that adds a passkey twice",
      "tokenUseId(challengeId))) !== undefined",
      "tokenUseId(challengeId))) === null",
    ],
    ["a passkey that another admin adds", "userId !== call.caller.userId", "false"],
  ]),
];
