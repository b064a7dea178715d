import assert from "node:assert/strict";
import { createHmac, createSecretKey } from "node:crypto";
import { test } from "node:test";
import { decodeCursor, encodeCursor } from "../../../lib/api/cursor.ts";

const scope = { tenantId: "01970000-0000-7000-8000-000000000001", endpoint: "listTasks" };
const secret = createSecretKey(new Uint8Array(32).fill(7));
const position = { key: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
const long = { externalId: "ä".repeat(100) };
const longer = { externalId: "ä".repeat(400) };

test("cursors stay valid after an upgrade: their format is unchanged", () => {
  const encode = (given: Readonly<Record<string, string>>) =>
    encodeCursor(secret, scope, { position, filters: given, limit: 50 }).cursor;
  assert.deepEqual(
    [encode({}), encode(filters), encode(long), encode(longer)],
    [
      "apJs6SX4Y2tM6WAFPRXWy7NlUc9fFTxIVX8YCF1GXZlbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHt9LHt9LDUwXQ",
      "Ig48q2a_WL9KBTln32w7O3OtFR5TKaBw4fZdZQpxp-5bMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHsidXBkYXRlZFNpbmNlIjoiMjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIiwiYXNzaWduZWRUbyI6IjAxOTcwMDAwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMGFiYyJ9LHt9LDUwXQ",
      "PPQWXu5SvgyXTX1AHYXsB9qjtHC0rdr6RB_J3hT0AVdbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHsiZXh0ZXJuYWxJZCI6IsOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkIn0se30sNTBd",
      "xVCN7ifLu4097BqnZIbjftJUGAAwZycaBgkY3PmFOddbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHt9LHsiZXh0ZXJuYWxJZCI6IkQ4akczUXBlbjNvQlJQZkd1R0JwU0hfWXEtUDUxVFZvNTdHWUQ4bDFVTzAifSw1MF0",
    ],
  );
});

test("a cursor of another version is rejected, and the error says so", () => {
  const payload = Buffer.from(JSON.stringify([2, position.key, position.id, {}]));
  const signed = createHmac("sha256", secret).update(`${scope.tenantId}\n${scope.endpoint}\n`).update(payload).digest();
  const cursor = Buffer.concat([signed, payload]).toString("base64url");
  assert.throws(() => decodeCursor(secret, scope, cursor, {}), {
    code: "invalid_cursor",
    message: "The cursor is from another version of the server. Restart without a cursor.",
  });
});
