import assert from "node:assert/strict";
import { test } from "node:test";
import { withRelease } from "../../build/changelog.ts";

const date = new Date("2026-12-01T10:00:00Z");

test("withRelease moves the unreleased changes under the version and its date", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n### Fixed\n- A bug.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n";
  const released =
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Fixed\n- A bug.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n";
  assert.equal(withRelease(changelog, "0.2.0", date), released);
});

test("withRelease releases a changelog without earlier versions", () => {
  const released = "## Unreleased\n\n## 0.1.0 - 2026-12-01\n- First.\n";
  assert.equal(withRelease("## Unreleased\n- First.\n", "0.1.0", date), released);
});

test("withRelease returns undefined without unreleased changes", () => {
  assert.equal(withRelease("## Unreleased\n\n## 0.1.0 - 2026-01-01\n", "0.2.0", date), undefined);
  assert.equal(withRelease("# Changelog\n", "0.2.0", date), undefined);
});
