import type { Tests } from "./subject.ts";
/** Which records a filter finds. */
export declare function filterContract({ test }: Tests): void;
