import type { Clock } from "../limits.ts";
import type { Storage } from "../storage.ts";
import { type LoadedTenant } from "../tenant-file/index.ts";
import type { Counting } from "./counting.ts";
/** A tenant file, and what to call it where it is wrong. */
export type NamedTenantFile = {
    readonly name: string;
    readonly content: unknown;
};
/** The tenant files that a name ("demo") or path stands for. @throws TenantFileRefused */
export declare function readTenantFiles(name: string): readonly NamedTenantFile[];
/** Loads them one after the other. @throws TenantFileRefused whose message begins with the name of the file */
export declare function loadTenantFiles(storage: Storage, files: readonly NamedTenantFile[], tools: {
    readonly clock: Pick<Clock, "now">;
    readonly newId: () => string;
}): Promise<readonly LoadedTenant[]>;
/** The file with an integration that may do everything, where it has none: a tenant that nobody can call is no use. */
export declare function withKey({ name, content }: NamedTenantFile, { random }: Pick<Counting, "random">): NamedTenantFile;
/** What these bytes say. @throws TenantFileRefused whose message begins with the name */
export declare function namedTenantFile(name: string, bytes: Uint8Array): NamedTenantFile;
