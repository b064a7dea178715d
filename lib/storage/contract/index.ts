export { describeStorage } from "./describe-storage.ts";
export type { Runner, StorageUnderTest } from "./harness.ts";
