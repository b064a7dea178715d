import { activeOpportunitiesContract } from "./active-opportunities.ts";
import { clockContract } from "./clock.ts";
import { commitContract } from "./commit.ts";
import { conditionsContract } from "./conditions.ts";
import { conflictContract } from "./conflict.ts";
import { eventsContract } from "./events.ts";
import { filterContract } from "./filter.ts";
import { createTestFunctions, type Runner, type StorageUnderTest } from "./harness.ts";
import { listContract } from "./list.ts";
import { lookupContract } from "./lookup.ts";
import { phoneContract } from "./phone.ts";
import { roundTripContract } from "./round-trip.ts";
import { searchContract } from "./search.ts";
import { settingsContract } from "./settings.ts";
import { sortContract } from "./sort.ts";
import { totalsContract } from "./totals.ts";
import { uniqueNamesContract } from "./unique-names.ts";

export type { Runner, StorageUnderTest } from "./harness.ts";

/** Declares one test for each requirement of the `Storage` interface. */
export function describeStorage(name: string, subject: StorageUnderTest, runner: Runner): void {
  const tests = createTestFunctions(subject, runner);
  runner.describe(`${name} storage contract`, () => {
    for (const contract of [roundTripContract, listContract, filterContract, commitContract]) contract(tests);
    for (const contract of [conflictContract, clockContract, lookupContract, settingsContract]) contract(tests);
    for (const contract of [activeOpportunitiesContract, phoneContract, searchContract]) contract(tests);
    for (const contract of [conditionsContract, uniqueNamesContract, eventsContract]) contract(tests);
    for (const contract of [sortContract, totalsContract]) contract(tests);
  });
}
