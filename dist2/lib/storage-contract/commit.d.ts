import type { Tests } from "./subject.ts";
/** All writes of a commit or none, and no commit at the cost of another. */
export declare function commitContract({ test }: Tests): void;
