import { type Api, type ApiOptions } from "../http/create-api.ts";
import type { Storage } from "../storage.ts";
import { Counting } from "./counting.ts";
import type { TestClock } from "./test-clock.ts";
export type WorldOptions = {
    readonly clock: TestClock;
    /** Requests a minute per key, 0 for no limit; a fifth as many failed authentications per address. */
    readonly rateLimit: number;
    /** What createApi is given beside. */
    readonly api?: Pick<ApiOptions, "adminAuth" | "inFlightMax" | "logger">;
};
/** What a world was made of at one moment, and can be made of again. */
type Image = {
    readonly database: Buffer;
    readonly ids: number;
    readonly bytes: number;
};
/** One API over one database in memory. To go back in time is to leave it for another. */
export type World = {
    readonly api: Api;
    readonly storage: Storage;
    readonly counting: Counting;
    /** Aborts once the world is left. */
    readonly ending: AbortSignal;
    image(): Image;
    /** Waits for what was begun in it. */
    close(): Promise<void>;
};
export declare function emptyWorld(options: WorldOptions): World;
export declare function worldOf(options: WorldOptions, { database, ...counts }: Image): World;
export {};
