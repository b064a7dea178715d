/** Ids and random bytes that are the same in every run. The next ones follow from how many there were. */
export class DeterministicIds {
  ids: number;
  bytes: number;

  constructor({ ids, bytes }: { readonly ids: number; readonly bytes: number } = { ids: 0, bytes: 0 }) {
    this.ids = ids;
    this.bytes = bytes;
  }

  /** Uuids of version 7 that count up. */
  readonly newId = (): string => `01950000-0000-7000-8000-${(++this.ids).toString(16).padStart(12, "0")}`;

  /** Bytes that look random and are not. */
  readonly random = (length: number): Uint8Array => Uint8Array.from({ length }, () => mixed(++this.bytes));
}

/** Uuids of version 7 that count up, so that a failing run shows the same ids again. */
export function sequentialIds(): () => string {
  return new DeterministicIds().newId;
}

function mixed(count: number): number {
  let bits = Math.imul(count, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) & 0xff;
}
