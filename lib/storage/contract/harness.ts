import type { Storage } from "../storage.ts";

/** What opens the storage that is held to the contract. */
export interface StorageUnderTest {
  /** A storage with nothing in it; each test asks for its own and closes it. */
  open(): Promise<Storage>;
  /** Closes this storage and opens what it kept. Left out where a storage keeps nothing beyond its life. */
  reopen?(storage: Storage): Promise<Storage>;
}

/** The two functions of a test runner: those of node:test, Vitest, Jest, Mocha and Bun all fit. */
export type Runner = {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: Declare & { readonly skip?: Declare };
};
type Declare = (name: string, body: () => Promise<void>) => unknown;

/** A test that is given a storage of its own, closed after it. */
type StorageTest = (name: string, body: (storage: Storage) => Promise<void>) => void;
/** One that is skipped where a storage keeps nothing beyond its life. */
type ReopenTest = (name: string, body: (storage: Storage, reopen: () => Promise<Storage>) => Promise<void>) => void;
export type Tests = { readonly test: StorageTest; readonly reopenTest: ReopenTest };

/** Tests without a parameter, as some runners take one for a callback. */
export function createTests(subject: StorageUnderTest, { it }: Runner): Tests {
  const test: StorageTest = (name, body) => {
    it(name, async () => {
      const storage = await subject.open();
      try {
        await body(storage);
      } finally {
        await storage.close();
      }
    });
  };
  const reopenTest: ReopenTest = (name, body) => {
    if (subject.reopen === undefined) {
      it.skip?.(`${name} (this storage keeps nothing beyond its life)`, async () => {});
      return;
    }
    it(name, async () => {
      let last = await subject.open();
      const reopen = async (): Promise<Storage> => {
        last = (await subject.reopen?.(last)) ?? last;
        return last;
      };
      try {
        await body(last, reopen);
      } finally {
        await last.close();
      }
    });
  };
  return { test, reopenTest };
}
