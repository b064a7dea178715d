import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { equalHash, hashKey, isApiKey, makeApiKey, maskKey } from "../../../lib/auth/api-key.ts";
import { uuidV7 } from "../../../lib/model/uuid.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const key = makeApiKey("live", randomBytes);

test("a key has its mode, 8 visible characters, 43 random ones, and a checksum of 6", () => {
  assert.match(key, /^crm_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  assert.match(makeApiKey("test", randomBytes), /^crm_test_/);
});

test("equal random bytes give equal keys, and the checksum is the CRC32 of the rest", () => {
  const made = makeApiKey("test", (length) => new Uint8Array(length));
  assert.equal(made.slice(0, -6), `crm_test_00000000_${"0".repeat(43)}`);
  assert.equal(
    made,
    makeApiKey("test", (length) => Buffer.alloc(length)),
  );
  assert.ok(isApiKey(made));
});

test("every character is equally likely, because biased bytes are discarded", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  let at = 0;
  const next = (length: number): Uint8Array => Uint8Array.from({ length }, () => bytes[at++ % 256] ?? 0);
  const counts = new Map<string, number>();
  for (let i = 0; i < 248; i++) {
    for (const character of makeApiKey("live", next).slice(18, 61)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  assert.deepEqual([...counts.keys()].sort(), [...alphabet].sort());
  const seen = [...counts.values()];
  assert.ok(Math.max(...seen) - Math.min(...seen) <= 62, `${Math.min(...seen)} to ${Math.max(...seen)}`);
});

test("changing, removing or inserting a character makes an API key invalid", () => {
  for (let at = 0; at < key.length; at++) {
    for (const other of [...alphabet, "_", "-", " ", "é"]) {
      if (other !== key[at]) assert.equal(isApiKey(key.slice(0, at) + other + key.slice(at + 1)), false);
      assert.equal(isApiKey(key.slice(0, at) + other + key.slice(at)), false);
    }
    assert.equal(isApiKey(key.slice(0, at) + key.slice(at + 1)), false);
  }
  for (const other of ["", `${key}\n`, ` ${key}`, key.toUpperCase(), key.replace("live", "test")]) {
    assert.equal(isApiKey(other), false);
  }
});

test("swapping two adjacent characters makes an API key invalid", () => {
  for (let at = 1; at < key.length; at++) {
    const [before = "", after = ""] = [key[at - 1], key[at]];
    if (before === after) continue;
    assert.equal(isApiKey(key.slice(0, at - 1) + after + before + key.slice(at + 1)), false);
  }
});

test("the mask contains the mode and the 8 visible characters, but neither the secret nor its length", () => {
  assert.equal(maskKey(key), `${key.slice(0, 18)}****`);
  assert.equal(key.slice(18).length, 49);
});

test("only the SHA-256 hash of an API key is stored, and the whole hash is compared", () => {
  assert.equal(hashKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const hash = hashKey(key);
  assert.deepEqual([equalHash(hash, hashKey(key)), equalHash(hash, hashKey(`${key} `))], [true, false]);
  assert.deepEqual([equalHash(hash, hash.slice(1)), equalHash(hash, ""), equalHash("", "")], [false, false, true]);
});

test("an ID is a UUID v7: the time, then random bits", () => {
  const now = Date.parse("2026-03-01T12:00:00.123Z");
  assert.equal(
    uuidV7(now, (length) => new Uint8Array(length)),
    "019ca945-0a7b-7000-8000-000000000000",
  );
  assert.equal(
    uuidV7(now, (length) => new Uint8Array(length).fill(255)),
    "019ca945-0a7b-7fff-bfff-ffffffffffff",
  );
  assert.equal(
    uuidV7(0, (length) => new Uint8Array(length)),
    "00000000-0000-7000-8000-000000000000",
  );
  assert.match(uuidV7(2 ** 48 - 1), /^ffffffff-ffff-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("IDs sort by creation time and are unique", () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => uuidV7(1_000_000 + Math.floor(index / 10) * 7));
  assert.equal(new Set(ids).size, 1_000);
  const times = ids.map((id) => id.slice(0, 13));
  assert.deepEqual(times, times.toSorted());
});
