import * as seam from "./storage.ts";
/**
 * A storage in plain maps, for tests: exact in everything but its speed, which falls with what is kept. Nothing
 * outlives it. It is also the model that other storages are held to.
 */
export declare function memoryStorage(): seam.Storage;
