import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestEvent } from "node:test/reporters";
import reporter from "../support/reporter.ts";

/** Returns what the reporter prints for these events. The tests are in the helper `test/support/hosts.ts`. */
async function report(...events: readonly (readonly [type: string, data: Record<string, unknown>])[]): Promise<string> {
  async function* source(): AsyncGenerator<TestEvent> {
    for (const [type, data] of events) {
      yield { type, data: { file: "test/support/hosts.ts", nesting: 0, details, ...data } } as unknown as TestEvent;
    }
  }
  let text = "";
  for await (const part of reporter(source())) text += part;
  return text;
}

const details = { duration_ms: 1500, type: "test" };
const error = { stack: "Error: no" };
const failed = { ...details, error };

test("the reporter names the file that was started, not the helper that has the test", async () => {
  const entryFile = "test/cli/http.test.ts";
  const text = await report(
    ["test:start", { name: "GET", entryFile }],
    ["test:fail", { name: "GET", entryFile, details: failed }],
  );
  const lines = [
    "FAILED test/cli/http.test.ts: GET",
    "Error: no",
    "✖ test/cli/http.test.ts: 0 passed, 1 failed (1.5 s)",
  ];
  assert.equal(text, `${lines.join("\n")}\n✖ total: 0 passed, 1 failed (1.5 s)\n`);
});

test("the reporter names the file of the suite if files share a process", async () => {
  const suite = { name: "Express", file: "test/api/express.test.ts" };
  const text = await report(
    ["test:start", suite],
    ["test:start", { name: "GET", nesting: 1 }],
    ["test:pass", { name: "GET", nesting: 1 }],
    ["test:pass", { ...suite, details: { ...details, type: "suite" } }],
  );
  assert.equal(text, "✔ test/api/express.test.ts: 1 passed (1.5 s)\n✔ total: 1 passed (1.5 s)\n");
});

test("the reporter prints the error of a suite that fails without a failed test", async () => {
  const suite = { name: "Express", file: "test/api/express.test.ts" };
  const ofSuite = { ...failed, type: "suite" };
  const own = await report(["test:start", suite], ["test:fail", { ...suite, details: ofSuite }]);
  assert.equal(own.split("\n")[0], "FAILED test/api/express.test.ts: Express");
  const subtests = { ...ofSuite, error: { ...error, failureType: "subtestsFailed" } };
  const inherited = await report(["test:start", suite], ["test:fail", { ...suite, details: subtests }]);
  assert.doesNotMatch(inherited, /FAILED/);
});
