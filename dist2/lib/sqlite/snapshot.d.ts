import { type Storage } from "../storage.ts";
/**
 * A database file as it is at this moment, whatever is written meanwhile, by this process or others: for a dump that
 * is of one moment however long it takes. It refuses writes.
 * @throws DatabaseRefused where there is no file, or one of another schema than that of now
 */
export declare function sqliteSnapshot(options: {
    readonly file: string;
}): Storage;
