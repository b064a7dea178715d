import { type Runner, type StorageUnderTest } from "./subject.ts";
/** Declares, in the runner that is given, a test for everything that a storage promises. */
export declare function describeStorage(name: string, subject: StorageUnderTest, runner: Runner): void;
