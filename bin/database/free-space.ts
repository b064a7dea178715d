import type { Storage } from "#lib";
import { integerSetting } from "../cli/setting.ts";
import { dataDefault } from "./data-folder.ts";
import type { DatabaseValues } from "./database.ts";
import { DiskFloor, withDiskFloor } from "./disk-floor.ts";

export const freeSpaceSettings = {
  minFreeMb: integerSetting("N", "MiB of the database's disk that stay free: with less, nothing more is written", {
    min: 0,
    max: 10_000_000,
    preset: 64,
  }),
} as const;

/** What must stay free on the disk of a data folder, so that keys can still be revoked there. */
export type FreeSpaceGuard = {
  /** The storage, which writes nothing while there is less. */
  over(storage: Storage): Storage;
  /** What is said then; undefined while there is enough. */
  readonly shortage: () => string | undefined;
};

const mebibyte = 1024 * 1024;

/** PostgreSQL looks after its disk itself. */
export function freeSpaceGuard(values: DatabaseValues & { readonly minFreeMb: number }): FreeSpaceGuard {
  const { data = dataDefault, database, minFreeMb } = values;
  if (database !== undefined) return { over: (storage) => storage, shortage: () => undefined };
  // Asked anew with each commit: between two of them an import writes more than a server.
  const floor = (): DiskFloor => new DiskFloor(data, minFreeMb * mebibyte, () => {});
  const words = `The disk of ${data} has less than ${minFreeMb} MiB free (--min-free-mb). Make room, or let less stay free.`;
  return {
    over: (storage) => ({
      ...withDiskFloor(storage, floor()),
      commit: (...commit) => withDiskFloor(storage, floor()).commit(...commit),
    }),
    shortage: () => (floor().isLow ? words : undefined),
  };
}
