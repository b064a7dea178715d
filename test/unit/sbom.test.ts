import assert from "node:assert/strict";
import { test } from "node:test";
import { componentOf } from "../../build/notices.ts";
import { toSbom } from "../../build/sbom.ts";

test("the SBOM names each component with its version, package URL and license text", () => {
  const hono = componentOf("node_modules/hono");
  const adapter = componentOf("node_modules/@hono/node-server");
  const sbom = JSON.parse(toSbom("1.2.3", [hono, adapter]));
  assert.deepEqual([sbom.bomFormat, sbom.specVersion, sbom.metadata.component.version], ["CycloneDX", "1.6", "1.2.3"]);
  assert.deepEqual(
    sbom.components.map(({ purl }: { purl: string }) => purl),
    [`pkg:npm/hono@${hono.version}`, `pkg:npm/%40hono/node-server@${adapter.version}`],
  );
  assert.match(sbom.components[0].licenses[0].license.text.content, /Permission is hereby granted/);
});
