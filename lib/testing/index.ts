export { countingIds } from "./deterministic.ts";
export type { Fault, Faults } from "./faults.ts";
export { FixtureApi, type FixtureApiOptions, fixtureHeaders, type Snapshot } from "./fixture-api.ts";
export type { JournalEntry } from "./request-journal.ts";
export { startTestCrm, type TestCrm, type TestCrmOptions } from "./start-test-crm.ts";
export { loadTenantFiles, type NamedTenantFile, namedTenantFile, readTenantFiles } from "./tenant-files.ts";
export { type Moment, TestClock } from "./test-clock.ts";
