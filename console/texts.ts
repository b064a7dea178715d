import { code } from "./language.ts";
import type { Texts } from "./texts/en.ts";

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\u202a-\u202e\u2066-\u2069]/u;

/** Surrounds texts with another direction with marks, so that the text they come into keeps its order. */
function isolate(value: unknown): unknown {
  if (typeof value === "string") return rightToLeft.test(value) ? `\u2068${value}\u2069` : value;
  return Array.isArray(value) ? value.map(isolate) : value;
}

/** Returns the texts with functions that isolate the names that they insert. */
function isolateNames<T>(texts: T): T;
function isolateNames(texts: unknown): unknown {
  if (typeof texts === "function") return (...values: readonly unknown[]) => texts(...values.map(isolate));
  if (typeof texts !== "object" || Array.isArray(texts)) return texts;
  return Object.fromEntries(Object.entries(Object(texts)).map(([name, text]) => [name, isolateNames(text)]));
}

/** All texts of the console, in the language of the user. Modules that import them wait until they are loaded. */
export const texts: Texts = isolateNames(
  code === "de" ? (await import("./texts/de.ts")).de : (await import("./texts/en.ts")).en,
);

/** Returns the label of a field, or words made from its name. */
export function fieldLabel(name: string): string {
  const words = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
  );
  return texts.fields[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the help of a field, if it has one. */
export function fieldHelp(name: string): string | undefined {
  return (texts.fieldHelp as Readonly<Record<string, string>>)[name];
}

/** Returns the label of a status or a priority. */
export function valueLabel(value: string): string {
  const labels: Readonly<Record<string, string>> = texts.values;
  return labels[value] ?? value;
}
