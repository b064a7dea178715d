import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { hmac, sealCursor } from "../lib/page.ts";

const seed = Number(process.env.FC_SEED ?? Date.now());

test(`a signature is the HMAC-SHA-256 of the runtime, whatever the lengths (FC_SEED=${seed})`, () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, bytes, (secret, message, other) => {
      for (const each of [message, other, message]) {
        const expected = createHmac("sha256", secret).update(each).digest("binary");
        assert.equal(hmac(secret, Buffer.from(each)), expected);
      }
    }),
    { seed },
  );
  for (const length of [0, 1, 32, 63, 64, 65, 80, 99, 128]) {
    const secret = new Uint8Array(length).fill(length);
    assert.equal(hmac(secret, Buffer.from("x")), createHmac("sha256", secret).update("x").digest("binary"));
  }
});

test("a cursor is, byte by byte, what versions before this one gave out", () => {
  const scope = {
    tenantId: "01970000-0000-7000-8000-000000000001",
    endpoint: "listTasks",
    filterNames: ["updatedSince", "status", "assignedTo"],
  };
  const position = { updatedAt: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
  const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
  const seal = (walk: Parameters<typeof sealCursor>[2]) => sealCursor(new Uint8Array(32).fill(7), scope, walk);
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
