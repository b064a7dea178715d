import { type Forge, type Forgeries, withClaim, withClaims } from "./forged-tokens.ts";
import { token } from "./token-signers.ts";

/** Properly signed, with a number in JSON that JavaScript doesn't write. */
function writing(claim: string, ...numbers: readonly string[]): Forge {
  return ({ signer, header, claims }) => {
    const text = JSON.stringify({ ...claims, [claim]: "@" });
    return numbers.map((number) => token(signer.sign, header, text.replace('"@"', number)));
  };
}

const uuid = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const year = 365 * 86_400;

/** Tokens with a valid signature and with missing, wrong or malformed claims. */
export const forgedClaims: Forgeries = {
  "no exp": withClaim("exp", undefined),
  "an exp that is past, or is now": (good) => withClaim("exp", good.now, good.now - 1, good.now - year, 0, -1)(good),
  "an exp that is no number": (good) => {
    return withClaim("exp", String(good.now + 60), "2030-01-01T00:00:00Z", null, true, [good.now + 60], {})(good);
  },
  "an exp in milliseconds": (good) => withClaim("exp", (good.now + 60) * 1000)(good),
  "an exp that never comes": writing("exp", "253402300800", "1e20", "1e308", "1e999"),
  "an exp that is no JSON": writing("exp", "NaN", "Infinity", "0x7fffffff", "01", "1_000"),
  "an nbf in the future": (good) => withClaim("nbf", good.now + 1, good.now + year)(good),
  "an nbf that is no number": withClaim("nbf", "0", null, [0]),
  "an iat that is no number": withClaim("iat", "0", null, [0]),
  "no iss": withClaim("iss", undefined),
  "another iss, or nearly ours": (good) => {
    const iss = String(good.claims.iss);
    return withClaim("iss", "https://else.test", `${iss}/`, iss.toUpperCase(), ` ${iss}`, [iss], null, "")(good);
  },
  "no aud": withClaim("aud", undefined),
  "another aud, or nearly ours": withClaim("aud", "crm-user", "crm-admin2", "CRM-ADMIN", "", null, { 0: "crm-admin" }),
  "a list of auds without ours": withClaim("aud", [], ["crm-user"], [["crm-admin"]], [null]),
  "no sub": withClaim("sub", undefined),
  "a sub that is no uuid": (good) => {
    const sub = String(good.claims.sub);
    return withClaim("sub", "", "ana@tenant.test", null, 1, `${sub} `, `{${sub}}`, "*")(good);
  },
  "a sub that is a list or an object": (good) => {
    const { sub } = good.claims;
    return withClaim("sub", [sub], [sub, sub], { id: sub })(good);
  },
  "no tenantId": withClaim("tenantId", undefined),
  "a tenantId that is no uuid": (good) => {
    const tenant = String(good.claims.tenantId);
    return withClaim("tenantId", "", "1", null, 1, `${tenant} `, "*", "__proto__")(good);
  },
  "a tenantId that is a list or an object": (good) => {
    const { tenantId } = good.claims;
    return withClaim("tenantId", [tenantId], [tenantId, tenantId], { id: tenantId })(good);
  },
  "a tenantId under another name": withClaims({ tenantId: undefined, tenant_id: uuid, tenantid: uuid, tid: uuid }),
  "a member of the payload twice": ({ signer, header, claims }) => {
    const text = JSON.stringify(claims);
    const twice = ["sub", "tenantId", "exp", "iss", "aud"].map((name) => {
      return `{${JSON.stringify(name)}:${JSON.stringify(claims[name])},${text.slice(1)}`;
    });
    const escaped = text.replace("{", `{"s\\u0075b":"${uuid}",`);
    return [...twice, escaped].map((payload) => token(signer.sign, header, payload));
  },
  "a payload that is not one JSON object": ({ signer, header, claims }) => {
    const text = JSON.stringify(claims);
    const others = [
      `${text}{}`,
      `${text},`,
      `${text}\0`,
      `[${text}]`,
      JSON.stringify(text),
      "null",
      "1",
      "",
      `// a\n${text}`,
    ];
    return others.map((payload) => token(signer.sign, header, payload));
  },
  "a payload that is not UTF-8": ({ signer, header, claims }) => {
    const bytes = Buffer.concat([
      Buffer.from(JSON.stringify({ ...claims, name: "" }).slice(0, -2)),
      Buffer.from([0xff]),
    ]);
    return [token(signer.sign, header, Buffer.concat([bytes, Buffer.from('"}')]))];
  },
  "a token in place of a payload": (good) => {
    return [token(good.signer.sign, { ...good.header, cty: "JWT" }, good.token)];
  },
};
