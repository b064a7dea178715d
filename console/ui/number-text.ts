import { toExactNumber } from "../../lib/model/exact-number.ts";

/**
 * A number, or why a text isn't one, with examples of how to write it. Both meanings of an ambiguous text are examples. A
 * number is inexact if it would be rounded.
 */
export type ParsedNumber =
  | { readonly value: number }
  | { readonly problem: "ambiguous" | "inexact" | "invalid"; readonly examples: readonly string[] };

/** One group of up to three digits, a sign, and three digits: 1.2 or 1200. */
const groupOrFraction = /^[1-9]\d{0,2}([.,])\d{3}$/;
const groupedByThousands = /^[1-9]\d{0,2}([.,' ])\d{3}(\1\d{3})*$/;
const groupedInIndia = /^[1-9]\d?(,\d\d)*,\d{3}$/;

/**
 * Reads a number that a person has typed. Signs that have one meaning are understood in every language: `1.200,50`,
 * `1,200.50`. Otherwise the sign of the language that groups digits decides.
 * @param language a BCP 47 tag, such as `de-CH`
 */
export function parseNumber(text: string, language: string): ParsedNumber {
  const [, minus = "", body = ""] = /^([+-]?)(.*)$/.exec(toPlainSigns(text)) ?? [];
  const sign = minus === "-" ? "-" : "";
  const ambiguousSign = groupOrFraction.exec(body)?.[1];
  if (ambiguousSign !== undefined && ambiguousSign !== signsOf(language).group) {
    const meanings = [body.replace(ambiguousSign, ""), body.replace(ambiguousSign, ".")];
    return { problem: "ambiguous", examples: meanings.map((each) => formatNumber(Number(sign + each), language)) };
  }
  const digits = toDigits(body);
  if (digits !== undefined) {
    const value = toExactNumber(sign + digits) + 0;
    return Number.isFinite(value) ? { value } : { problem: "inexact", examples: [] };
  }
  const example = new Intl.NumberFormat(language, { numberingSystem: "latn", minimumFractionDigits: 2 }).format(1200.5);
  return { problem: "invalid", examples: [example] };
}

/** Formats a number for an input, without groups. A zero at its end can make it unambiguous. */
export function formatNumber(value: number, language: string): string {
  const text = /e/.test(String(value)) ? withoutExponent.format(value) : String(value + 0);
  const padded = groupOrFraction.test(text.replace("-", "")) ? `${text}0` : text;
  return padded.replace(".", signsOf(language).decimal);
}

const withoutExponent = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 100 });

function toPlainSigns(text: string): string {
  return text
    .trim()
    .replaceAll(/\s/g, " ")
    .replaceAll("’", "'")
    .replace(/^\u2212/, "-");
}

/** Returns the number as JavaScript writes it, or undefined if the signs are in wrong places. */
function toDigits(body: string): string | undefined {
  if (groupOrFraction.test(body)) return body.replace(/[.,]/, "");
  const [, whole = "", fraction] = /^(.*?)(?:[.,](\d+))?$/.exec(body) ?? [];
  const isWhole = /^\d+$/.test(whole) || (whole === "" && fraction !== undefined);
  if (isWhole) return fraction === undefined ? whole : `${whole}.${fraction}`;
  if (isGrouped(body)) return body.replaceAll(/\D/g, "");
  const decimal = body.at(-(fraction?.length ?? 0) - 1);
  const isClear = fraction !== undefined && !whole.includes(decimal ?? "") && isGrouped(whole);
  return isClear ? `${whole.replaceAll(/\D/g, "")}.${fraction}` : undefined;
}

function isGrouped(text: string): boolean {
  return groupedByThousands.test(text) || groupedInIndia.test(text);
}

function signsOf(language: string): { readonly decimal: string; readonly group: string | undefined } {
  const format = new Intl.NumberFormat(language, { numberingSystem: "latn" });
  const parts = format.formatToParts(12345.6);
  const find = (type: string): string | undefined => parts.find((part) => part.type === type)?.value;
  return { decimal: find("decimal") === "," ? "," : ".", group: find("group") };
}
