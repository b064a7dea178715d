import { describe } from "node:test";
import { activeContract } from "./storage.contract.active.ts";
import { clockContract } from "./storage.contract.clock.ts";
import { commitContract } from "./storage.contract.commit.ts";
import { conflictContract } from "./storage.contract.conflict.ts";
import { filterContract } from "./storage.contract.filter.ts";
import { listContract } from "./storage.contract.list.ts";
import { lookupContract } from "./storage.contract.lookup.ts";
import { type Open, testsOf } from "./storage.contract.open.ts";
import { recordContract } from "./storage.contract.record.ts";

/** What every storage promises, whatever it keeps its records in. Each test gets a new storage from `open`. */
export function describeStorage(name: string, open: Open): void {
  const tests = testsOf(open);
  describe(`${name} as a storage`, () => {
    for (const contract of [recordContract, listContract, filterContract, commitContract]) contract(tests);
    for (const contract of [conflictContract, clockContract, lookupContract, activeContract]) contract(tests);
  });
}
