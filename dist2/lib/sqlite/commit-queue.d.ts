import { type Write } from "../storage.ts";
import type { PlaceLike } from "./place.ts";
import type { CommitBatch } from "./told.ts";
import type { Statement } from "./transactions.ts";
type Proposal = {
    readonly tenant: string;
    readonly now: number;
    readonly propose: (at: number) => readonly Write[];
};
/**
 * Group commit: what arrives while a transaction runs, or the event loop turns once, shares the next one and its
 * fsync. A commit is answered only once its transaction is on the disk.
 */
export declare class CommitQueue {
    #private;
    constructor(place: PlaceLike, onCommit?: (batch: CommitBatch) => void);
    /** Does this in a transaction, and answers once it is durable how many rows it changed. @throws StorageUnavailable */
    add(asked: Proposal | Statement): Promise<number>;
    /** Writes what is waiting, now, and takes no more. */
    close(): Promise<void>;
}
export {};
