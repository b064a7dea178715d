import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeCursor } from "../lib/api/cursor.ts";

test("a cursor is, byte by byte, what versions before this one gave out", () => {
  const scope = {
    tenantId: "01970000-0000-7000-8000-000000000001",
    endpoint: "listTasks",
    filterNames: ["updatedSince", "status", "assignedTo"],
  };
  const position = { updatedAt: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
  const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
  const seal = (walk: Parameters<typeof encodeCursor>[2]) =>
    encodeCursor(new Uint8Array(32).fill(7), scope, walk).cursor;
  assert.deepEqual(
    [
      seal({ position, filters: {} }),
      seal({ position, filters }),
      seal({ position, filters: { status: "ä".repeat(99) } }),
    ],
    [
      "jyFMJGvM6F5Q--Zv_E77LwEBnKi7tjsBlwAAAABwAIAAAAAAAAD_",
      "YGRVCFqv4CtvodvTIeMaAwEBnKi7tjsBlwAAAABwAIAAAAAAAAD_AAIAGDIwMjYtMDEtMDFUMDA6MDA6MDAuMDAwWgIAAZcAAAAAcACAAAAAAAAKvA",
      "vYNSdHzDl80M5ZzAkDR-bQEBnKi7tjsBlwAAAABwAIAAAAAAAAD_AQHJggY81bucs8UKdxa9Gxji",
    ],
  );
});
