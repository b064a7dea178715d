export { countingIds } from "./counting.js";
export { FixtureApi, fixtureHeaders } from "./fixture-api.js";
export { startTestCrm } from "./start-test-crm.js";
export { loadTenantFiles, namedTenantFile, readTenantFiles } from "./tenant-files.js";
export { TestClock } from "./test-clock.js";
