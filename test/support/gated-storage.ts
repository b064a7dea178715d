import { type Storage, wrapStorage } from "../../lib/index.ts";

/**
 * A storage that looks up API keys only while its gate is open, as at first. `arrived` resolves when a lookup waits.
 */
export function gatedStorage(storage: Storage) {
  let gate: PromiseWithResolvers<void> | undefined;
  const arrived = Promise.withResolvers<void>();
  const findApiKey: Storage["findApiKey"] = async (hash) => {
    if (gate !== undefined) arrived.resolve();
    await gate?.promise;
    return storage.findApiKey(hash);
  };
  const shut = (): void => {
    gate = Promise.withResolvers();
  };
  return { storage: wrapStorage(storage, { findApiKey }), arrived: arrived.promise, shut, open: () => gate?.resolve() };
}

/**
 * A storage that reads users only after `release`, such as the owner of a new record. `arrived` resolves when a read
 * waits.
 */
export function withHeldUsers(storage: Storage) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const get: Storage["get"] = async (tenant, kind, id) => {
    if (kind === "user") {
      arrived.resolve();
      await released.promise;
    }
    return storage.get(tenant, kind, id);
  };
  return { storage: wrapStorage(storage, { get }), arrived: arrived.promise, release: released.resolve };
}
