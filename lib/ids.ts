import { randomBytes } from "node:crypto";

/** Random bytes, as many as asked for. */
export type RandomBytes = (length: number) => Uint8Array;

/** A uuid of version 7: 48 bits of milliseconds, then 74 random bits. Ids made later sort later, to the millisecond. */
export function uuidV7(now: number, random: RandomBytes = randomBytes): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.set(random(10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
