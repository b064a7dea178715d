import type { Tests } from "./subject.ts";
/** Keys, the secret, forgetting and closing. */
export declare function lookupContract({ test, reopenTest }: Tests): void;
