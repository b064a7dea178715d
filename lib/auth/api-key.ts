import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RandomBytes } from "../model/uuid.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keyForm = /^(crm_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * A new key: `crm_live_` or `crm_test_`, 8 characters that may be shown, `_`, 43 random characters (256 bits) and
 * 6 that are the CRC32 of all before, so that a mistyped key is told from an unknown one without a look-up.
 */
export function makeApiKey(mode: "live" | "test", random: RandomBytes): string {
  const stem = `crm_${mode}_${randomText(8, random)}_${randomText(43, random)}`;
  return stem + checksum(stem);
}

/** Whether a text has the form of a key and its checksum is right. */
export function isApiKey(value: string): boolean {
  const match = keyForm.exec(value);
  return match !== null && checksum(match[1] ?? "") === match[2];
}

/** What is kept of a key: its SHA-256 in hex. */
export function hashKey(key: string): string {
  return hash("sha256", key);
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function equalHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** What may be shown of a key: enough to tell it from others, nothing that helps to guess it. */
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

/** Bytes from 248 up are thrown away: 248 is the largest multiple of 62, so every character is equally likely. */
function randomText(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}
