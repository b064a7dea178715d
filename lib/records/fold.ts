/**
 * A name as uniqueness sees it: NFKC, trimmed, inner white space collapsed, case folded; accents count.
 * Case is folded code point by code point, so that "ß" meets "SS" and a final sigma meets any other.
 */
export function foldName(name: string): string {
  const spaced = name.normalize("NFKC").trim().replace(/\s+/gu, " ");
  const folded = Array.from(spaced, (point) => (point === "ı" ? point : point.toUpperCase().toLowerCase()));
  return folded.join("").normalize("NFKC");
}

/** An e-mail address as uniqueness sees it. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}
