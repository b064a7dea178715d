import { activeContract } from "./active.ts";
import { clockContract } from "./clock.ts";
import { commitContract } from "./commit.ts";
import { conflictContract } from "./conflict.ts";
import { filterContract } from "./filter.ts";
import { createTests, type Runner, type StorageUnderTest } from "./harness.ts";
import { listContract } from "./list.ts";
import { lookupContract } from "./lookup.ts";
import { recordContract } from "./record.ts";

/** Declares, in the runner that is given, a test for everything that a storage promises. */
export function describeStorage(name: string, subject: StorageUnderTest, runner: Runner): void {
  const tests = createTests(subject, runner);
  runner.describe(`${name} as a storage`, () => {
    for (const contract of [recordContract, listContract, filterContract, commitContract]) contract(tests);
    for (const contract of [conflictContract, clockContract, lookupContract, activeContract]) contract(tests);
  });
}
