import { randomUUID } from "node:crypto";

/** Returns this many random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Returns a UUID of version 7: 48 bits of milliseconds, then 74 random bits. Later UUIDs sort later, to the millisecond. */
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
