import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { flagOf } from "../../bin/cli/setting.ts";
import { FreeSpaceMonitor } from "../../bin/database/free-space-monitor.ts";
import { connectionSettings } from "../../bin/server/listen.ts";
import { createMetrics } from "../../bin/server/metrics.ts";
import { monitoringSettings } from "../../bin/server/monitoring.ts";
import { zeroCounts } from "../../lib/api/api-counts.ts";
import { fieldErrorCodes } from "../../lib/model/errors.ts";

const { components } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
/** The closed list of `error.code`, from the API description. */
const errorCodes: readonly string[] = components.schemas.Error.properties.error.properties.code.enum;

const operate = globSync("docs/operate/*.md")
  .map((file) => readFileSync(file, "utf8"))
  .join("");
const metricsPage = readFileSync("docs/reference/metrics-and-logs.md", "utf8");
const errorsPage = readFileSync("docs/reference/errors.md", "utf8");

test("docs/operate names every setting of logs, health, metrics, disk and timeouts with its default", () => {
  for (const [name, { default: preset }] of Object.entries({ ...monitoringSettings, ...connectionSettings }) as [
    string,
    { default?: unknown },
  ][]) {
    const flag = flagOf(name);
    assert.ok(operate.includes(`\`${flag}`), flag);
    if (typeof preset === "number" && preset > 0)
      assert.ok(operate.includes(`\`${flag}\` (${preset})`), `${flag} ${preset}`);
  }
});

test("docs/reference/metrics-and-logs.md lists every metric and no other", async () => {
  const metrics = createMetrics();
  const pool = () => ({ total: 2, idle: 1, waiting: 0 });
  metrics.addDatabase({ file: import.meta.filename, freeSpace: new FreeSpaceMonitor(tmpdir(), 0, () => {}), pool });
  metrics.addLimiter(() => ({ fallbacks: 0, isFallbackActive: false }));
  const delivery = { webhooks: { delivering: 2, retrying: 0, paused: 0 }, lagMs: 0 };
  metrics.addApi(() => ({ ...zeroCounts(), unsentBytes: 0, waitingRequests: 0, delivery }));
  metrics.addBackups(() => ({ isRunning: false, lastAt: null, lastBytes: null, error: null }));
  const types = [...(await metrics.text()).matchAll(/^# TYPE (crm_\w+) (\w+)/gm)].map(([, name, type]) => [name, type]);
  const rows = [...metricsPage.matchAll(/^\| `(crm_\w+)(?:\{[^`]*\})?` \| (\w+) /gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  assert.deepEqual(rows.sort(), types.sort());
});

test("docs/reference/errors.md has a row for every error code and field error code", () => {
  const [codes = "", fields = ""] = errorsPage.split("## Field errors");
  const named = (text: string) => [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  assert.deepEqual([...new Set(named(codes))].sort(), [...errorCodes].sort());
  assert.deepEqual(named(fields.split("## Reasons")[0] ?? "").sort(), [...fieldErrorCodes].sort());
});
