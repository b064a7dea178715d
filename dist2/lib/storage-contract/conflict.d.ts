import type { Tests } from "./subject.ts";
/** Why a commit is refused, and what it says is in the way. */
export declare function conflictContract({ test }: Tests): void;
