import { type Storage, wrapStorage } from "../../lib/index.ts";

/** A storage that looks up API keys only while its gate is open. The gate is open at first. */
export function gatedStorage(storage: Storage): { storage: Storage; shut(): void; open(): void } {
  let gate: PromiseWithResolvers<void> | undefined;
  const findApiKey: Storage["findApiKey"] = async (hash) => {
    await gate?.promise;
    return storage.findApiKey(hash);
  };
  const shut = (): void => {
    gate = Promise.withResolvers();
  };
  return { storage: wrapStorage(storage, { findApiKey }), shut, open: () => gate?.resolve() };
}
