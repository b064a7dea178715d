import { encoded, type Signer, token } from "./token-signers.ts";

/** A valid token: its signer, its parts and the time in seconds since 1970. */
export type Good = {
  readonly signer: Signer;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly token: string;
  readonly now: number;
};

/** Returns forgeries of a valid token, none if the algorithm doesn't allow it. */
export type Forging = (good: Good) => readonly string[];

export type Forgeries = Readonly<Record<string, Forging>>;

/** Properly signed, with other claims. Undefined claims are omitted. */
export function claiming(...all: readonly Readonly<Record<string, unknown>>[]): Forging {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, header, { ...claims, ...more }));
}

/** Properly signed, with these values of one claim. */
export function saying(claim: string, ...values: readonly unknown[]): Forging {
  return claiming(...values.map((value) => ({ [claim]: value })));
}

/** Properly signed, with additional header members. */
export function headed(...all: readonly Readonly<Record<string, unknown>>[]): Forging {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, { ...header, ...more }, claims));
}

/** Puts the three parts of a valid token together in another way. */
export function cut(way: (header: string, payload: string, seal: string) => readonly string[]): Forging {
  return ({ token }) => way(...(token.split(".") as [string, string, string]));
}

/** Properly signed over the first two parts as they are given. */
export function sealed({ signer }: Good, header: string, payload: string): string {
  return `${header}.${payload}.${encoded(signer.sign(`${header}.${payload}`))}`;
}
