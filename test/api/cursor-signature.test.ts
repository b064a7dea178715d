import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { encodeCursor } from "../../lib/api/cursor.ts";

test("cursors stay valid after an upgrade: their format is unchanged", () => {
  const scope = {
    tenantId: "01970000-0000-7000-8000-000000000001",
    endpoint: "listTasks",
  };
  const position = { updatedAt: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
  const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
  const seal = (walk: Parameters<typeof encodeCursor>[2]) =>
    encodeCursor(createSecretKey(new Uint8Array(32).fill(7)), scope, walk).cursor;
  assert.deepEqual(
    [
      seal({ position, filters: {} }),
      seal({ position, filters }),
      seal({ position, filters: { externalId: "ä".repeat(100) } }),
    ],
    [
      "zw5H81HjRbIfUP7lnIxaCZyWcNzFPoIeQlBAWEivBetbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7fV0",
      "Vrdx0gw7V9YCtOOwNAriY_UeoHU4bKh7eqc13HKJ7CNbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7InVwZGF0ZWRTaW5jZSI6IjIwMjYtMDEtMDFUMDA6MDA6MDAuMDAwWiIsImFzc2lnbmVkVG8iOiIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDBhYmMifSx7fV0",
      "ROXfO1yTTT3bY45T7aaxSIiU7HlrZIZzWORYPM491E9bMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7ImV4dGVybmFsSWQiOiJqSXVRRmRSMFZsc3FJOVhsdndrQVVYSU00bDBJcFFNRVFnU3pRNHNlRU8wIn1d",
    ],
  );
});
