import type { Limits } from "./errors.ts";

/** The message for a number that a double can't hold exactly. */
export const inexactNumberMessage = "must have at most 15 significant digits, and be below 1e308";
/** The limits for a number that a double can't hold exactly. */
export const exactNumberLimits: Limits = { totalDigits: 15 };

/** Doubles hold every number of 15 significant digits, except very small ones. */
export const mayRoundNumber = /[\d.]{16}|[eE]-\d{3}/;

/**
 * Parses a number such as `-1.5e3`. Returns Infinity, which no field accepts, if a double can't hold the number exactly.
 */
export function toExactNumber(text: string): number {
  const value = Number(text);
  return decimalOf(String(value)) === decimalOf(text) ? value : Number.POSITIVE_INFINITY;
}

/** Returns a number without insignificant zeros, so that equal decimals are equal texts. */
function decimalOf(number: string): string | undefined {
  const [text, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (text === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  // A regular expression for the zeros at the end takes time that grows with the square of their number.
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  const significant = digits.slice(0, end);
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${sign.replace("+", "")}${significant}e${power}`;
}
