import { activeContract } from "./active.js";
import { clockContract } from "./clock.js";
import { commitContract } from "./commit.js";
import { conflictContract } from "./conflict.js";
import { filterContract } from "./filter.js";
import { listContract } from "./list.js";
import { lookupContract } from "./lookup.js";
import { recordContract } from "./record.js";
import { testsOf } from "./subject.js";
/** Declares, in the runner that is given, a test for everything that a storage promises. */
export function describeStorage(name, subject, runner) {
    const tests = testsOf(subject, runner);
    runner.describe(`${name} as a storage`, () => {
        for (const contract of [recordContract, listContract, filterContract, commitContract])
            contract(tests);
        for (const contract of [conflictContract, clockContract, lookupContract, activeContract])
            contract(tests);
    });
}
