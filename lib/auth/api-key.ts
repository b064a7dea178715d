import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RandomBytes } from "../model/uuid.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keyPattern = /^(crm_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * Returns a new API key: `crm_live_` or `crm_test_`, 8 public characters, `_`, 43 random characters (256 bits), and 6
 * characters with the CRC32 of the rest. The checksum detects a mistyped key without a lookup.
 */
export function makeApiKey(mode: "live" | "test", random: RandomBytes): string {
  const stem = `crm_${mode}_${randomText(8, random)}_${randomText(43, random)}`;
  return stem + checksum(stem);
}

/** Returns whether a text has the format of an API key and a correct checksum. */
export function isApiKey(value: string): boolean {
  const match = keyPattern.exec(value);
  return match !== null && checksum(match[1] ?? "") === match[2];
}

/** Returns the SHA-256 of an API key in hex. Only this hash is stored. */
export function hashKey(key: string): string {
  return hash("sha256", key);
}

/** Compares two hashes in constant time. */
export function equalHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Returns the public part of an API key, followed by `****`. */
export function maskKey(key: string): string {
  return `${key.slice(0, key.indexOf("_", 9) + 1)}****`;
}

function checksum(stem: string): string {
  let rest = crc32(stem);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Returns random characters. Skips bytes from 248 up, so that each character is equally likely: 248 is 4 × 62. */
function randomText(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}
