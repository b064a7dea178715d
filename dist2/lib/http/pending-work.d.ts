import { StorageUnavailable } from "../storage.ts";
/** A request that is rejected because of the load or a shutdown. It isn't logged, because there may be very many. */
export declare class Overloaded extends StorageUnavailable {
}
/** Tracks running work, so that `close` can wait for it. */
export declare class PendingWork {
    #private;
    /** @throws Overloaded after `close` */
    run<T>(work: () => Promise<T>): Promise<T>;
    /** Rejects new work and waits for the running work to end. */
    close(): Promise<void>;
}
/** Bounds how much work runs at the same time. */
export declare class ConcurrencyLimit {
    #private;
    constructor(max: number);
    /** @throws Overloaded if too much work is running */
    run<T>(work: () => Promise<T>): Promise<T>;
}
