import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readStreams } from "../../bin/sources/streams.ts";
import { sources } from "../../build/sources.ts";
import { entityModels } from "../../lib/model/entities.ts";

for (const [path, text] of Object.entries(sources())) {
  test(`${path} is up to date`, () => {
    assert.equal(readFileSync(path, "utf8"), text, "Run npm run sources.");
  });
}

test("the sources read the changes of each kind and of the events, and all pipelines, users and custom fields", () => {
  const namesOf = (isIncremental: boolean) =>
    readStreams().flatMap((stream) => (stream.isIncremental === isIncremental ? [stream.name] : []));
  const kinds = Object.values(entityModels).map(({ plural }) => plural);
  assert.deepEqual(namesOf(true).sort(), [...kinds, "events"].sort());
  assert.deepEqual(namesOf(false), ["pipelines", "users", "custom_fields"]);
});
