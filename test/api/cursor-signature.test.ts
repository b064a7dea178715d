import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { decodeCursor, encodeCursor } from "../../lib/api/cursor.ts";

const scope = { tenantId: "01970000-0000-7000-8000-000000000001", endpoint: "listTasks" };
const secret = createSecretKey(new Uint8Array(32).fill(7));
const position = { updatedAt: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
const long = { externalId: "ä".repeat(100) };

const withoutLimit = [
  "zw5H81HjRbIfUP7lnIxaCZyWcNzFPoIeQlBAWEivBetbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7fV0",
  "Vrdx0gw7V9YCtOOwNAriY_UeoHU4bKh7eqc13HKJ7CNbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7InVwZGF0ZWRTaW5jZSI6IjIwMjYtMDEtMDFUMDA6MDA6MDAuMDAwWiIsImFzc2lnbmVkVG8iOiIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDBhYmMifSx7fV0",
  "ROXfO1yTTT3bY45T7aaxSIiU7HlrZIZzWORYPM491E9bMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7ImV4dGVybmFsSWQiOiJqSXVRRmRSMFZsc3FJOVhsdndrQVVYSU00bDBJcFFNRVFnU3pRNHNlRU8wIn1d",
] as const;

test("cursors of earlier versions, which have no limit, stay valid", () => {
  const [plain, filtered, hashed] = withoutLimit;
  const limit = undefined;
  assert.deepEqual(decodeCursor(secret, scope, plain, {}), { position, filters: {}, limit });
  assert.deepEqual(decodeCursor(secret, scope, filtered, {}), { position, filters, limit });
  assert.deepEqual(decodeCursor(secret, scope, hashed, long), { position, filters: long, limit });
});

test("cursors stay valid after an upgrade: their format is unchanged", () => {
  const encode = (given: Readonly<Record<string, string>>) =>
    encodeCursor(secret, scope, { position, filters: given, limit: 50 }).cursor;
  assert.deepEqual(
    [encode({}), encode(filters), encode(long)],
    [
      "TSkjjC6k1eKBPKwcqn4Bz_RBIOlzLhTJefwaKd6ywINbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7fSw1MF0",
      "LDhpXBDjTaD_GwH2R1j-pEZ6x-KBwgUxwp5VJFEcxqtbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7InVwZGF0ZWRTaW5jZSI6IjIwMjYtMDEtMDFUMDA6MDA6MDAuMDAwWiIsImFzc2lnbmVkVG8iOiIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDBhYmMifSx7fSw1MF0",
      "v5LGLgZkqlwwmyRelSdxbeKDrKCzF-_qZnG562iudFpbMTc3MjM1NzQwMDEyMywiMDE5NzAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMGZmIix7fSx7ImV4dGVybmFsSWQiOiJqSXVRRmRSMFZsc3FJOVhsdndrQVVYSU00bDBJcFFNRVFnU3pRNHNlRU8wIn0sNTBd",
    ],
  );
});
