export { sequentialIds } from "./deterministic-ids.ts";
export type { Fault, Faults } from "./faults.ts";
export { FixtureApi, type FixtureApiOptions, fixtureHeaders, type Snapshot } from "./fixture-api.ts";
export type { JournalEntry } from "./request-journal.ts";
export { startTestCrm, type TestCrm, type TestCrmOptions } from "./start-test-crm.ts";
export { loadTenantFiles, type NamedTenantFile, parseNamedTenantFile, readTenantFiles } from "./tenant-files.ts";
export { TestClock, type TimeInput } from "./test-clock.ts";
