/** IDs and random bytes that are the same in every run. They depend only on how many were generated before. */
export class DeterministicIds {
  ids: number;
  bytes: number;

  constructor({ ids, bytes }: { readonly ids: number; readonly bytes: number } = { ids: 0, bytes: 0 }) {
    this.ids = ids;
    this.bytes = bytes;
  }

  /** Returns the next UUID of a sequence in version 7 format. */
  readonly newId = (): string => `01950000-0000-7000-8000-${(++this.ids).toString(16).padStart(12, "0")}`;

  /** Returns pseudorandom bytes. Not for secrets. */
  readonly random = (length: number): Uint8Array => Uint8Array.from({ length }, () => hashByte(++this.bytes));
}

/**
 * Returns a generator of consecutive UUIDs in version 7 format, so that a failed test has the same IDs in the next run.
 */
export function sequentialIds(): () => string {
  return new DeterministicIds().newId;
}

function hashByte(count: number): number {
  let bits = Math.imul(count, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) & 0xff;
}
