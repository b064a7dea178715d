import type { Tests } from "./subject.ts";
/** What is kept comes back as it was, and only to its tenant. */
export declare function recordContract({ test, reopenTest }: Tests): void;
