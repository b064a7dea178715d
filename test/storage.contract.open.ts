import { it } from "node:test";
import type { Storage } from "../lib/storage.ts";

/** A storage with nothing in it. `reopen` closes it and opens what it kept, where it keeps anything. */
export type Opened = { readonly storage: Storage; reopen?(): Promise<Storage> };
export type Open = () => Promise<Opened>;

/** A test that is given a storage of its own, closed after it. */
export type StorageTest = (name: string, body: (storage: Storage) => Promise<void>) => void;
/** One that is skipped where a storage keeps nothing beyond its life. */
export type ReopenTest = (
  name: string,
  body: (storage: Storage, reopen: () => Promise<Storage>) => Promise<void>,
) => void;
export type Tests = { readonly test: StorageTest; readonly reopenTest: ReopenTest };

export function testsOf(open: Open): Tests {
  const test: StorageTest = (name, body) => {
    it(name, async () => {
      const { storage } = await open();
      try {
        await body(storage);
      } finally {
        await storage.close();
      }
    });
  };
  const reopenTest: ReopenTest = (name, body) => {
    it(name, async (context) => {
      const { storage, reopen } = await open();
      let last = storage;
      try {
        if (reopen === undefined) context.skip("it keeps nothing beyond its life");
        else await body(storage, async () => (last = await reopen()));
      } finally {
        await last.close();
      }
    });
  };
  return { test, reopenTest };
}
