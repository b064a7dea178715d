import type { Tests } from "./subject.ts";
/** The opportunities of people by their addresses. */
export declare function activeContract({ test }: Tests): void;
