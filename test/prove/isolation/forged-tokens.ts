import { encoded, type Signer, token } from "./token-signers.ts";

/** A valid token: its signer, its parts and the time in seconds since 1970. */
export type ValidToken = {
  readonly signer: Signer;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly token: string;
  readonly now: number;
};

/** Returns forgeries of a valid token, none if the algorithm doesn't allow it. */
export type Forge = (good: ValidToken) => readonly string[];

export type Forgeries = Readonly<Record<string, Forge>>;

/** Properly signed tokens with other claims. Undefined claims are omitted. */
export function withClaims(...all: readonly Readonly<Record<string, unknown>>[]): Forge {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, header, { ...claims, ...more }));
}

/** Properly signed tokens with these values of one claim. */
export function withClaim(claim: string, ...values: readonly unknown[]): Forge {
  return withClaims(...values.map((value) => ({ [claim]: value })));
}

/** Properly signed tokens with additional header members. */
export function withSignedHeaders(...all: readonly Readonly<Record<string, unknown>>[]): Forge {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, { ...header, ...more }, claims));
}

/** Combines the three parts of a valid token in another way. */
export function rearranged(way: (header: string, payload: string, seal: string) => readonly string[]): Forge {
  return ({ token }) => way(...(token.split(".") as [string, string, string]));
}

/** A properly signed token with these first two parts, unchanged. */
export function signedAsGiven({ signer }: ValidToken, header: string, payload: string): string {
  return `${header}.${payload}.${encoded(signer.sign(`${header}.${payload}`))}`;
}
