import type { Storage } from "#lib";
import { integerSetting } from "../cli/setting.ts";
import { defaultData } from "./data-folder.ts";
import type { DatabaseValues } from "./database.ts";
import { FreeSpaceMonitor, withFreeSpaceCheck } from "./free-space-monitor.ts";

export const freeSpaceSettings = {
  minFreeMb: integerSetting("N", "MiB of disk space to keep free; below it, the command writes nothing more", {
    min: 0,
    max: 10_000_000,
    preset: 64,
  }),
} as const;

/** Keeps some disk space free for a command that writes a lot. */
export type FreeSpaceGuard = {
  /** Wraps a storage so that it rejects writes while disk space is low. */
  guard(storage: Storage): Storage;
  /** Returns an error message while disk space is low, else undefined. */
  readonly shortage: () => string | undefined;
};

const mebibyte = 1024 * 1024;

/** Creates the guard of a data folder. PostgreSQL manages its own disk, so its guard does nothing. */
export function freeSpaceGuard(values: DatabaseValues & { readonly minFreeMb: number }): FreeSpaceGuard {
  const { data = defaultData, database, minFreeMb } = values;
  if (database !== undefined) return { guard: (storage) => storage, shortage: () => undefined };
  // Measure before every commit, without the cache: an import fills a disk faster than a server.
  const newMonitor = (): FreeSpaceMonitor => new FreeSpaceMonitor(data, minFreeMb * mebibyte, () => {});
  const message = `Less than ${minFreeMb} MiB of disk space is free in ${data}. Free disk space or lower --min-free-mb.`;
  return {
    guard: (storage) => ({
      ...withFreeSpaceCheck(storage, newMonitor()),
      commit: (...commit) => withFreeSpaceCheck(storage, newMonitor()).commit(...commit),
    }),
    shortage: () => (newMonitor().isLow ? message : undefined),
  };
}
