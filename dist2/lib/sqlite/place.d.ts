import type { Database } from "better-sqlite3";
import { Connections } from "./connections.ts";
import type { CommitThreadOptions } from "./told.ts";
/** What a storage needs of where its database is. */
export type PlaceLike = Pick<Place, "open" | "standing" | "assertStands" | "close">;
/**
 * A database at its path. What was opened is read from, also when it stands there no more; written is only to what
 * the next start will find there.
 */
export declare class Place {
    #private;
    /** @throws DatabaseRefused */
    constructor(path: string, open?: (path: string) => Database, apart?: CommitThreadOptions);
    /** To read from. */
    get open(): Connections;
    /** To write to. A copy of the database that has taken its place is opened first. @throws StorageUnavailable */
    standing(): Connections;
    /** @throws StorageUnavailable where what was just written stands there no more */
    assertStands(): void;
    close(): Promise<void>;
}
