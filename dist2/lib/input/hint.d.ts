/** The maximum number of suggestions per response. A response has room for about as many of the errors that carry one. */
export declare const hintsMax = 20;
/** The candidate that was most likely meant, or undefined where none is near. Case does not count. */
export declare function nearest(word: string, candidates: readonly string[]): string | undefined;
/** ` Did you mean "x"?` with its leading blank, or nothing. */
export declare function didYouMean(word: string, candidates: readonly string[]): string;
/** The caller's value as a message may repeat it: quoted, at most 60 characters, nothing that moves a cursor. */
export declare function shown(value: unknown): string;
