import { code } from "./language.ts";
import type { Texts } from "./texts/en.ts";

/** All texts of the console, in the language of the user. Modules that import them wait until they are loaded. */
export const texts: Texts = code === "de" ? (await import("./texts/de.ts")).de : (await import("./texts/en.ts")).en;

/** Returns the label of a field, or words made from its name. */
export function fieldLabel(name: string): string {
  const labels: Readonly<Record<string, string>> = texts.fields;
  const words = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
  );
  return labels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
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
