/** A name as uniqueness sees it: NFKC, trimmed, inner white space collapsed, case folded; accents count. */
export declare function foldName(name: string): string;
/**
 * A text as one that differs in case or in the form of its characters alone sees it; blanks count. Case is folded code
 * point by code point, so that "ß" meets "SS" and a final sigma meets any other.
 */
export declare function foldCase(text: string): string;
/** An e-mail address as uniqueness sees it. */
export declare function foldEmail(email: string): string;
