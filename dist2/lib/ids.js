import { randomFillSync } from "node:crypto";
/** A uuid of version 7: 48 bits of milliseconds, then 74 random bits. Ids made later sort later, to the millisecond. */
export function uuidV7(now, random = takenFromPool) {
    if (!(now >= 0 && now < 2 ** 48))
        throw new RangeError("The clock is before 1970 or after the year 10889.");
    const bytes = Buffer.from(random(10));
    bytes[0] = ((bytes[0] ?? 0) & 0x0f) | 0x70;
    bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
    const hex = now.toString(16).padStart(12, "0") + bytes.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
const pool = Buffer.alloc(4_096);
let taken = pool.length;
/** For ids, of which each request takes one: to ask the system's generator for ten bytes takes ten times as long. */
function takenFromPool(length) {
    if (taken + length > pool.length) {
        randomFillSync(pool);
        taken = 0;
    }
    taken += length;
    return pool.subarray(taken - length, taken);
}
