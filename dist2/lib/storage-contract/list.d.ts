import type { Tests } from "./subject.ts";
/** In which order lists come, and where they begin and end. */
export declare function listContract({ test }: Tests): void;
