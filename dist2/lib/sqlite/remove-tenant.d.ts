/**
 * Removes a tenant and everything that belongs to it in one transaction. A crash leaves the whole tenant or nothing of
 * it. Other programs can read during the removal, but not write.
 * @param backUp called before the removal, while no program can write. If it rejects, nothing is removed.
 * @throws DatabaseRefused if the file is missing or locked, or isn't a database of this version
 */
export declare function removeTenant({ file, tenantId, backUp, }: {
    readonly file: string;
    readonly tenantId: string;
    readonly backUp: () => Promise<void>;
}): Promise<void>;
