/** Returns a name for comparison: NFKC, trimmed, inner whitespace collapsed, case folded. Accents are significant. */
export function normalizeName(name: string): string {
  return normalizeCase(name.normalize("NFKC").trim().replace(/\s+/gu, " "));
}

/**
 * Returns a text for a comparison that ignores case and Unicode compatibility forms. Whitespace is significant. "ß" equals
 * "SS", and a final sigma equals any other sigma.
 */
export function normalizeCase(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // Folding a few characters yields characters that fold again.
  return foldOnce(foldOnce(text.normalize("NFKC")));
}

/** A fast path: folding takes fifty times as long as `toLowerCase`. */
const isAscii = /^\p{ASCII}*$/u;

/**
 * Converts to lower, upper and lower case, because only then "ẞ" and "ß" both become "ss". A sigma always becomes σ,
 * because its lower case depends on the letters around it. A dotless ı doesn't change.
 */
function foldOnce(text: string): string {
  const fold = (part: string): string => part.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return text.split("ı").map(fold).join("ı").normalize("NFKC");
}

/** Returns an email address for comparison. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
