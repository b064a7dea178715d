import { encoded, type Signer, token } from "./sign-in.ts";

/** A token that is let in: who signs such, its parts, and the time (seconds since 1970). */
export type Good = {
  readonly signer: Signer;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly token: string;
  readonly now: number;
};

/** Makes of a good token those that must be refused; none where the way of signing does not lend itself to it. */
export type Forgery = (good: Good) => readonly string[];

export type Forgeries = Readonly<Record<string, Forgery>>;

/** Properly signed, with other claims; one that is undefined is left out. */
export function claiming(...all: readonly Readonly<Record<string, unknown>>[]): Forgery {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, header, { ...claims, ...more }));
}

/** Properly signed, with these values of one claim. */
export function saying(claim: string, ...values: readonly unknown[]): Forgery {
  return claiming(...values.map((value) => ({ [claim]: value })));
}

/** Properly signed, with a header that has these as well. */
export function headed(...all: readonly Readonly<Record<string, unknown>>[]): Forgery {
  return ({ signer, header, claims }) => all.map((more) => token(signer.sign, { ...header, ...more }, claims));
}

/** The three parts of a good token, put together otherwise. */
export function cut(way: (header: string, payload: string, seal: string) => readonly string[]): Forgery {
  return ({ token }) => way(...(token.split(".") as [string, string, string]));
}

/** Properly signed over the first two parts as they are written here. */
export function sealed({ signer }: Good, header: string, payload: string): string {
  return `${header}.${payload}.${encoded(signer.sign(`${header}.${payload}`))}`;
}
