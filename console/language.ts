import { readStored, store } from "./browser-storage.ts";

/** The languages of the console by their codes. */
export const languages = { en: "English", de: "Deutsch" };

type Code = keyof typeof languages;

const storageName = "crm-console-language";

function isCode(code: string | null | undefined): code is Code {
  return code === "en" || code === "de";
}

function codeOf(tag: string): string | undefined {
  return tag.split("-")[0]?.toLowerCase();
}

const stored = readStored(storageName);

/** The language of the texts: the one that the user has chosen, or the first of the browser that the console has. */
export const code: Code = isCode(stored) ? stored : (navigator.languages.map(codeOf).find(isCode) ?? "en");

/** The language of numbers, dates and currencies. It has the region of the browser, such as `de-AT`. */
export const language: string = navigator.languages.find((tag) => codeOf(tag) === code) ?? code;

/** Remembers the choice of the user. The next page has this language. */
export function storeLanguage(chosen: string): void {
  store(storageName, chosen);
}

/** Formats a number to read, such as `1,200.5`. */
export function displayNumber(value: number): string {
  return value.toLocaleString(language, { maximumFractionDigits: 1 });
}
