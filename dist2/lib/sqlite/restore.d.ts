/** What was put in place: the schema it had, and where what stood there is kept; undefined where nothing did. */
export type Restored = {
    readonly from: number;
    readonly to: number;
    readonly kept: string | undefined;
};
/**
 * Puts a backup in the place of a database that nobody uses, an older one brought up to date. What was there is kept
 * beside it, damaged as it may be. The cursors given out before are refused from then on: what they point to may not
 * be in the backup. A crash in the middle leaves the one or the other.
 * @throws DatabaseRefused where the backup is faulty or newer, or the database is in use; nothing was changed then
 */
export declare function restoreDatabase({ file, backup }: {
    readonly file: string;
    readonly backup: string;
}): Restored;
