import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Creates a folder. Deletes it after the tests of the file, or after the test of this context. */
export function temporaryFolder(context: { after(cleanUp: () => void): void } = { after }): string {
  const folder = mkdtempSync(join(tmpdir(), "crm-test-"));
  context.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
