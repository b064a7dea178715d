import { type TestContext, test } from "node:test";

/** Returns a `test` function that calls `setUp` before each test. Unlike `beforeEach`, it doesn't affect other files in the same process. */
export function testWithSetup(setUp: () => void): (name: string, run: (t: TestContext) => unknown) => void {
  return (name, run) => {
    test(name, async (t) => {
      setUp();
      await run(t);
    });
  };
}
