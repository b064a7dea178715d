import type { Storage } from "../storage.ts";

/** Opens the storage under test. */
export interface StorageUnderTest {
  /** Opens an empty storage. Each test opens its own and closes it. */
  open(): Promise<Storage>;
  /** Closes a storage and opens it again with its data. Omit it if the storage isn't persistent. */
  reopen?(storage: Storage): Promise<Storage>;
}

/** Two functions of a test runner. Those of node:test, Vitest, Jest, Mocha and Bun fit. */
export type Runner = {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: DeclareTest & { readonly skip?: DeclareTest };
};
type DeclareTest = (name: string, body: () => Promise<void>) => unknown;

/** Declares a test that gets its own storage, which is closed after the test. */
type StorageTest = (name: string, body: (storage: Storage) => Promise<void>) => void;
/** Declares a test that reopens its storage. It is skipped if the storage isn't persistent. */
type ReopenTest = (name: string, body: (storage: Storage, reopen: () => Promise<Storage>) => Promise<void>) => void;
/** Functions that declare contract tests. */
export type TestFunctions = { readonly test: StorageTest; readonly reopenTest: ReopenTest };

/** Returns functions that declare tests. The runner gets bodies without parameters, because some pass a callback. */
export function createTestFunctions(subject: StorageUnderTest, { it }: Runner): TestFunctions {
  const declareTest: ReopenTest = (name, body) => {
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
  const skip: ReopenTest = (name) => void it.skip?.(`${name} (this storage isn't persistent)`, async () => {});
  return { test: declareTest, reopenTest: subject.reopen === undefined ? skip : declareTest };
}
