import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDateTime } from "../../lib/model/date-time.ts";
import { models } from "../../lib/model/kinds.ts";
import { type BaseRecord, type Model, toJsonObject } from "../../lib/model/model.ts";
import { toJsonText } from "../../lib/model/record-json.ts";
import { seed } from "../support/seed.ts";

const times = { min: Date.parse("0000-01-01T00:00:00.000Z"), max: Date.parse("9999-12-31T23:59:59.999Z") };
const time = fc.integer(times);

test(`a timestamp has the format of Date.prototype.toISOString (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 0.999, noNaN: true }), (at, part) => {
      assert.equal(formatDateTime(at), new Date(at).toISOString());
      assert.equal(formatDateTime(at + part), new Date(at + part).toISOString());
    }),
    { seed },
  );
  for (const at of [0, -1, times.min, times.max]) assert.equal(formatDateTime(at), new Date(at).toISOString());
  assert.deepEqual([formatDateTime(null), formatDateTime(undefined)], [null, null]);
});

test("timestamps are correct in any order of days", () => {
  const dayMs = 86_400_000;
  const days = Array.from({ length: 4_097 }, (_, day) => day * 512 * dayMs + 1);
  for (const at of [...days, ...days.toReversed(), ...days.flatMap((day) => [day, day + 1_024 * dayMs, day])])
    assert.equal(formatDateTime(at), new Date(at).toISOString());
});

/** Any value that a column of this type can hold, and others. */
function anyValue(column: unknown): fc.Arbitrary<unknown> {
  if (column === "timestamp") return fc.option(time);
  if (column === "boolean") return fc.boolean();
  if (column === "integer") return fc.option(fc.integer());
  if (column === "real") return fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
  return fc.oneof(fc.string({ unit: "binary" }), fc.constant(null), fc.jsonValue());
}

for (const model of Object.values(models) as Model[]) {
  test(`toJsonText of ${model.plural} equals JSON.stringify of the object (FC_SEED=${seed})`, () => {
    const fields = Object.fromEntries(
      Object.entries(model.fields).map(([name, { column }]) => [name, anyValue(column)]),
    );
    const stamps = { id: fc.uuid(), createdAt: time, updatedAt: time, archivedAt: fc.option(time) };
    fc.assert(
      fc.property(fc.record({ ...stamps, ...fields }), (record) => {
        assert.equal(
          toJsonText(model, record as BaseRecord),
          JSON.stringify(toJsonObject(model, record as BaseRecord)),
        );
      }),
      { seed },
    );
  });
}
