import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { flagOf } from "../bin/cli/setting.ts";
import { DiskFloor } from "../bin/database/disk-floor.ts";
import { newMetrics } from "../bin/server/metrics.ts";
import { observeSettings } from "../bin/server/observe.ts";

const page = readFileSync(new URL("../docs/deploy.md", import.meta.url), "utf8");

test("the guide to running it names every setting of log, health, metrics, disk and timeouts, with its default", () => {
  for (const [name, { default: preset }] of Object.entries(observeSettings) as [string, { default?: unknown }][]) {
    const flag = flagOf(name);
    assert.ok(page.includes(`\`${flag}`), flag);
    if (typeof preset === "number" && preset > 0)
      assert.ok(page.includes(`\`${flag}\` (${preset})`), `${flag} ${preset}`);
  }
});

test("the guide to running it names every metric that there is, and no other", async () => {
  const metrics = newMetrics();
  const pool = () => ({ total: 2, idle: 1, waiting: 0 });
  metrics.watchDatabase({ file: import.meta.filename, floor: new DiskFloor(tmpdir(), 0, () => {}), pool });
  metrics.watchLimiter(() => ({ fallbacks: 0, isFallbackActive: false }));
  const names = [...(await metrics.text()).matchAll(/^# TYPE (crm_\w+)/gm)].map(([, name]) => name);
  const told = [...page.matchAll(/`(crm_\w+)(?:\{[^`]*\})?`/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(told)].sort(), names.sort());
});
