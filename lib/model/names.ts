/** Returns a name with a capital first letter. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Converts `custom_fields` to `customFields`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the name of a kind in a text: `customField` as `custom field`. */
export function displayName(kind: string): string {
  return kind === "apiKey" ? "API key" : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns a noun with its indefinite article. */
export function withArticle(noun: string): string {
  return /^[aeio]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
}
