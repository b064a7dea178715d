import assert from "node:assert/strict";

export type RuleRow = {
  readonly id: string;
  readonly when: string | null;
  readonly created_at: unknown;
  readonly updated_at: unknown;
};

/** Asserts that the rule `both` was split, and that `stage` and `always` are unchanged. */
export function assertSplit(rows: readonly RuleRow[]): void {
  const conditions = new Map(rows.map(({ id, when }) => [id, when === null ? null : JSON.parse(when)]));
  assert.deepEqual(conditions.get("both"), { stageIds: ["s"] });
  assert.deepEqual(conditions.get("stage"), { stageIds: ["s"] });
  assert.equal(conditions.get("always"), null);
  const added = rows.filter(({ id }) => !["both", "stage", "always"].includes(id));
  assert.equal(added.length, 1);
  assert.match(added[0]?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(conditions.get(added[0]?.id ?? ""), { statuses: ["won"] });
  for (const { created_at, updated_at } of rows) assert.deepEqual([Number(created_at), Number(updated_at)], [1, 2]);
}
