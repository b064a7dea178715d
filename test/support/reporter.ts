import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

type FileResult = { readonly name: string; passed: number; failed: number; skipped: number; durationMs: number };

/**
 * Reports one line per test file, every failed test in full and every skipped test with its reason. The file of a test
 * is the one that was started. If files share a process, it is the file that has the outermost suite or test.
 */
// biome-ignore lint/style/noDefaultExport: node:test loads the default export of a reporter
export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const total = newResult("total");
  let file: FileResult | undefined;
  let name = "";
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    // A test starts after its suite and before its result.
    if (type === "test:start" && data.nesting === 0) name = fileOf(data);
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (name !== file?.name) {
      if (file !== undefined) yield line(file);
      file = newResult(name);
    }
    const isSuite = data.details.type === "suite";
    const outcome = type === "test:fail" ? "failed" : data.skip === undefined ? "passed" : "skipped";
    for (const result of [file, total]) {
      if (!isSuite) result[outcome]++;
      if (data.nesting === 0) result.durationMs += data.details.duration_ms;
    }
    if (type === "test:fail" && !(isSuite && hasFailedTests(data.details.error)))
      yield `FAILED ${name}: ${data.name}\n${stackOf(data.details.error)}\n`;
    if (!isSuite && outcome === "skipped") yield `skipped ${name} ${data.name}: ${data.skip}\n`;
  }
  if (file !== undefined) yield line(file);
  yield line(total);
}

/** `entryFile` exists if the file has its own process. */
function fileOf({ file = "", entryFile = file }: { readonly file?: string; readonly entryFile?: string }): string {
  return relative(".", entryFile);
}

/** Returns whether a suite failed only because its tests did, which are reported already. */
function hasFailedTests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

function newResult(name: string): FileResult {
  return { name, passed: 0, failed: 0, skipped: 0, durationMs: 0 };
}

function line({ name, passed, failed, skipped, durationMs }: FileResult): string {
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${failed > 0 ? "✖" : "✔"} ${name}: ${counts.join(", ")} (${(durationMs / 1000).toFixed(1)} s)\n`;
}

function stackOf({ cause, stack }: Error): string {
  return cause instanceof Error ? `${cause.stack}` : `${cause ?? stack}`;
}
