import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { run } from "../support/serve-demo.ts";

test("crm-integrations on an older Node prints the version that it needs, and exits with 1", async () => {
  const older = `Object.defineProperty(process.versions, "node", { value: "20.20.2" })`;
  const found = await run(process.execPath, [
    ...["--import", "tsx", "--import", `data:text/javascript,${encodeURIComponent(older)}`],
    ...["bin/crm-integrations.ts", "version"],
  ]);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const needed = engines.node.replace(/^>=/, "");
  const stderr = `crm-integrations requires Node ${needed} or later. This is Node 20.20.2.\n`;
  assert.deepEqual(found, { code: 1, stdout: "", stderr });
});
