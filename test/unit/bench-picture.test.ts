import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../../bench/picture.ts";

test("the picture of the benchmark is wide enough for the longest name", () => {
  const name = "Create, 16 clients: two servers with twice the clients, routed by API key, by processor time";
  const svg = picture([{ question: "", name, goal: { atLeast: 0.9 }, reached: 1, unit: "×" }], "Goals");
  const [, end] = new RegExp(`<text x="(\\d+)"[^>]*text-anchor="end">${name}<`).exec(svg) ?? [];
  // A character of this font has 6.5 pixels on average.
  assert.ok(Number(end) >= 6.5 * name.length, end);
});
