import type { AnyRecord } from "../records/kinds.ts";
import type { Storage } from "../storage.ts";
export declare const ids: {
    readonly ana: string;
    readonly max: string;
    readonly sales: string;
    readonly service: string;
    readonly fresh: string;
    readonly done: string;
    readonly repair: string;
    readonly acme: string;
    readonly carla: string;
    readonly dora: string;
    readonly nobody: string;
};
/** Records for filters to find, by number: each in a commit of its own, so that lists have them by number too. */
export declare function manyRecords(storage: Storage): Promise<ReadonlyMap<number, AnyRecord>>;
