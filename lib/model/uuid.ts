import { hash, randomUUID } from "node:crypto";

/** Returns this many random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/**
 * Returns a UUID of version 7: 48 bits of milliseconds, then 74 random bits. Later UUIDs sort later, to the
 * millisecond.
 */
export function uuidV7(now: number, random?: RandomBytes): string {
  if (!(now >= 0 && now < 2 ** 48)) throw new RangeError("The clock is before 1970 or after the year 10889.");
  const time = now.toString(16).padStart(12, "0");
  // The random part of a version 4 UUID has the same layout.
  const rest = random === undefined ? randomUUID().slice(15) : formatRandom(random(10));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`;
}

function formatRandom(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(1, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}

/** Returns a UUID of version 8 that is derived from a text: the same text has the same UUID. */
export function uuidV8(text: string): string {
  const hex = hash("sha256", text);
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Returns a UUID of version 8: 48 bits of milliseconds, then bits that are derived from a text. Later UUIDs sort later,
 * and the same time and text have the same UUID.
 */
export function uuidV8At(time: number, text: string): string {
  const prefix = uuidTimePrefix(time);
  const hex = hash("sha256", text);
  return `${prefix}-8${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}

/** Returns the start of all UUIDs with this time, which sorts before them and after those of earlier times. */
export function uuidTimePrefix(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
