/** A name as uniqueness sees it: NFKC, trimmed, inner white space collapsed, case folded; accents count. */
export function normalizeName(name: string): string {
  return normalizeCase(name.normalize("NFKC").trim().replace(/\s+/gu, " "));
}

/**
 * A text as one that differs in case or in the form of its characters alone sees it; blanks count. Case is folded code
 * point by code point, so that "ß" meets "SS" and a final sigma meets any other.
 */
export function normalizeCase(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // A few characters become, folded, what folds further; after that nothing changes.
  return foldOnce(foldOnce(text.normalize("NFKC")));
}

/** Most texts are: of these folding has nothing to do but this, and point by point it takes fifty times as long. */
const isAscii = /^\p{ASCII}*$/u;

/**
 * Lower, upper, lower: only so do the capital and the small sharp s end as the same two letters. Two letters are left
 * out of it: a sigma, whose lower case depends on the letters around it, always becomes σ, and a dotless ı stays.
 */
function foldOnce(text: string): string {
  const fold = (part: string): string => part.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return text.split("ı").map(fold).join("ı").normalize("NFKC");
}

/** An e-mail address as uniqueness sees it. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
