import { full } from "../size.ts";
import { type Forgeries, rearranged, signedAsGiven, type ValidToken, withSignedHeaders } from "./forged-tokens.ts";
import { encoded, token } from "./token-signers.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The next letter of the alphabet instead of the last one. If bits are unused, the bytes stay the same. */
function nonCanonical(part: string): string {
  return part.slice(0, -1) + alphabet[(alphabet.indexOf(part.at(-1) ?? "") + 1) % 64];
}

/**
 * Tokens with a valid signature over parts in another encoding. Their lengths leave unused bits in one or the other.
 */
function rewritten(good: ValidToken, write: (part: string) => string): string[] {
  return ["", "x", "xx"].flatMap((jti) => {
    const [header, payload] = [good.header, { ...good.claims, jti }].map((part) => encoded(JSON.stringify(part)));
    const [first = "", second = ""] = [header, payload];
    return [signedAsGiven(good, write(first), second), signedAsGiven(good, first, write(second))];
  });
}

/** Tokens with invalid encodings, whatever their claims are. */
export const forgedForms: Forgeries = {
  nothing: () => [""],
  garbage: () => ["garbage", "eyJh.eyJz.c2ln", "a.b.c", "....", "null.null.null", "%7B%7D.e30.e30"],
  "fewer than three parts": rearranged((header, payload) => [header, `${header}.${payload}`]),
  "an empty part": rearranged((header, payload, seal) => {
    return [`${header}.${payload}.`, `${header}..${seal}`, `.${payload}.${seal}`, ".."];
  }),
  "more than three parts": rearranged((header, payload, seal) => {
    return [`${header}.${payload}.${seal}.`, `.${header}.${payload}.${seal}`, `${header}.${payload}.${seal}.${seal}`];
  }),
  "the five parts of an encrypted one": rearranged((header, payload, seal) => {
    const direct = encoded('{"alg":"dir","enc":"A256GCM"}');
    return [
      `${direct}..${seal.slice(0, 16)}.${payload}.${seal.slice(0, 22)}`,
      `${header}.${payload}.${seal}.${seal}.${seal}`,
    ];
  }),
  "a signature cut off": rearranged((header, payload, seal) => {
    return [1, 2, 4, 20, seal.length - 1].map((less) => `${header}.${payload}.${seal.slice(0, -less)}`);
  }),
  "a signature with more behind it": rearranged((header, payload, seal) => {
    return ["A", "AA", "AAA", "AAAA", seal].map((more) => `${header}.${payload}.${seal}${more}`);
  }),
  "a signature of zeros, or of ones": rearranged((header, payload, seal) => {
    const { length } = Buffer.from(seal, "base64url");
    return [0, 255].map((byte) => `${header}.${payload}.${encoded(Buffer.alloc(length, byte))}`);
  }),
  "the signature of another token": (good) => {
    const [header, payload, seal] = good.token.split(".");
    const [, other, others] = token(good.signer.sign, good.header, { ...good.claims, jti: "other" }).split(".");
    return [`${header}.${payload}.${others}`, `${header}.${other}.${seal}`];
  },
  "one character that differs": ({ token }) => {
    return [...token].flatMap((letter, index) => {
      const next = alphabet[(alphabet.indexOf(letter) + 1) % 64] ?? "";
      const others = full ? [...alphabet, "."].filter((other) => other !== letter) : [next];
      return others.map((other) => token.slice(0, index) + other + token.slice(index + 1));
    });
  },
  "bits left over that are not zero": (good) => {
    const [header = "", payload = "", seal = ""] = good.token.split(".");
    return [`${header}.${payload}.${nonCanonical(seal)}`, ...rewritten(good, nonCanonical)];
  },
  "base64 with padding": (good) => {
    const padded = (part: string): string => part.padEnd(Math.ceil(part.length / 4) * 4, "=");
    const more = rewritten(good, (part) => (padded(part) === part ? `${part}====` : padded(part)));
    return [...more, `${good.token}=`, `${good.token}==`, `${good.token}%3D`];
  },
  "base64 of the other alphabet": (good) => {
    const other = (part: string): string => Buffer.from(part, "base64url").toString("base64");
    // Bytes that both alphabets encode in the same way would prove nothing.
    const claims = { ...good.claims, jti: "~~~~???>>>~~~~" };
    const [header, payload] = [good.header, claims].map((part) => encoded(JSON.stringify(part)));
    return [signedAsGiven(good, header ?? "", other(payload ?? "").replaceAll("=", ""))];
  },
  "blanks inside": rearranged((header, payload, seal) => {
    const spaces = [" ", "\t", "\u00a0", "%20", "+"];
    return spaces.flatMap((space) => [
      `${header}.${payload}.${seal.slice(0, 8)}${space}${seal.slice(8)}`,
      `${header}${space}.${payload}.${seal}`,
    ]);
  }),
  "a hundred thousand characters": (good) => {
    return ["A".repeat(100_000), `${good.token}${"A".repeat(100_000)}`, `${"A.".repeat(50_000)}A`];
  },
  "a header that is not one JSON object": (good) => {
    const text = JSON.stringify(good.header);
    const others = [`${text}{}`, `${text},`, `[${text}]`, JSON.stringify(text), "null", "", `${text}\0`];
    return others.map((header) => token(good.signer.sign, header, good.claims));
  },
  "a member of the header twice": (good) => {
    const text = JSON.stringify(good.header);
    const others = [
      '{"alg":"none",',
      `{"alg":"${good.signer.header.alg}",`,
      '{"kid":"else","kid":"else",',
      '{"\\u0061lg":"none",',
    ];
    return others.map((start) => token(good.signer.sign, text.replace("{", start), good.claims));
  },
  "an extension that must be understood": withSignedHeaders(
    { crit: ["exp"] },
    { crit: ["http://else.test"], "http://else.test": 1 },
  ),
  "a crit that is no list of names": withSignedHeaders(
    { crit: [] },
    { crit: "b64" },
    { crit: [1] },
    { crit: {} },
    { crit: null },
  ),
  "a payload that is not encoded": (good) => {
    const header = encoded(JSON.stringify({ ...good.header, b64: false, crit: ["b64"] }));
    const payload = JSON.stringify(good.claims);
    return [signedAsGiven(good, header, payload), signedAsGiven(good, header, encoded(payload))];
  },
};
