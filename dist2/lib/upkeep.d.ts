import type { Credential, Storage } from "./storage.ts";
/** Notes that a key was used, unless that was noted within the minute. Nobody waits for it. */
export declare function touch(storage: Storage, key: Credential, now: number): Promise<void>;
/** Forgets the answers whose 24 hours are over, in small batches, with room for requests between them. */
export declare function sweep(storage: Storage, now: number): Promise<number>;
