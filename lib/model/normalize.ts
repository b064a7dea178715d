/**
 * Returns a name for comparison: without invisible characters, NFKC, trimmed, inner whitespace collapsed, case folded.
 * Accents are significant.
 */
export function normalizeName(name: string): string {
  return normalizeCase(removeInvisible(name).normalize("NFKC").trim().replace(/\s+/gu, " "));
}

/**
 * Returns a text for a comparison that ignores case and Unicode compatibility forms. Whitespace is significant. "ß"
 * equals "SS", and a final sigma equals any other sigma.
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

/**
 * Returns an email address for comparison: trimmed, without invisible characters, NFKC, in lower case. The domain is in
 * its ASCII form (IDNA), so that "bücher.example" equals "xn--bcher-kva.example".
 */
export function normalizeEmail(email: string): string {
  const trimmed = email.trim();
  if (isAscii.test(trimmed)) return trimmed.toLowerCase();
  const domainStart = trimmed.lastIndexOf("@") + 1;
  const domain = trimmed.slice(domainStart);
  return lowerCase(trimmed.slice(0, domainStart)) + (toAsciiDomain(domain) ?? lowerCase(domain));
}

function lowerCase(text: string): string {
  return removeInvisible(text).normalize("NFKC").toLowerCase().normalize("NFKC");
}

/** Returns undefined if IDNA doesn't accept the domain. */
function toAsciiDomain(domain: string): string | undefined {
  // A URL would accept these characters and end the host there, or decode it.
  if (/[/?#\\:@%]/.test(domain)) return undefined;
  // IDNA accepts a joiner where a script needs it. There it belongs to the domain, and to its ASCII form.
  for (const each of [domain, removeInvisible(domain)]) {
    // The slash keeps the URL from ignoring a control character at the end.
    const url = URL.parse(`http://${each}/`);
    if (url !== null) return url.hostname;
  }
  return undefined;
}

/** A phone number is found by its last digits if there are at least this many. */
export const minLastDigits = 7;

/** Returns the digits 0 to 9 of a phone number. */
export function phoneDigits(phone: string): string {
  return phone.replace(/[^0-9]/g, "");
}

/** Returns the last 7 digits of a phone number, or all of fewer. A number that `matchesPhone` has the same. */
export function phoneKey(phone: string): string {
  return phoneDigits(phone).slice(-minLastDigits);
}

/** Returns whether a phone number has the wanted digits, or ends in them if there are at least 7. */
export function matchesPhone(phone: string, wanted: string): boolean {
  const [digits, ending] = [phoneDigits(phone), phoneDigits(wanted)];
  return digits !== "" && phoneKey(digits) === phoneKey(ending) && digits.endsWith(ending);
}

/**
 * Removes characters that have no width: the soft hyphen (U+00AD), zero-width space, non-joiner and joiner (U+200B to
 * U+200D), the left-to-right and right-to-left marks (U+200E, U+200F), word joiner (U+2060) and byte order mark
 * (U+FEFF).
 */
function removeInvisible(text: string): string {
  return text.replace(/\u00ad|[\u200b-\u200f]|\u2060|\ufeff/gu, "");
}
