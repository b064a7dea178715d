import type { Tests } from "./subject.ts";
/** The instants that commits get: each tenant's own, and always later than the last. */
export declare function clockContract({ test, reopenTest }: Tests): void;
