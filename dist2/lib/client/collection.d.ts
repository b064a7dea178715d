import type { CallOptions, ChangeOptions, Send } from "./transport.ts";
/** One page of a list, in the order in which the records were last changed. */
export type Page<T> = {
    readonly data: readonly T[];
    readonly nextCursor: string | null;
    /** What is safe to store as `since` once this page has been handled. */
    readonly nextUpdatedSince: string;
};
/** A list, fetched page by page while it is walked: `for await (const page of …)`. */
export type Pages<T> = AsyncIterable<Page<T>> & {
    /** The records one by one: `for await (const task of ….records())`. */
    records(): AsyncIterable<T>;
};
export type SyncOptions<T> = {
    /** What the last sync has stored; everything where it is absent. */
    readonly since?: string | undefined;
    /** Handles a page. The same record may come again, so it must do no harm twice; an error ends the sync. */
    readonly onPage: (records: readonly T[], page: Page<T>) => void | Promise<void>;
    /** Stores where the sync stands: called after `onPage`, never before. */
    readonly onWatermark?: (since: string) => void | Promise<void>;
    /** Records a page, 1 to 200; 200 where it is absent. */
    readonly limit?: number;
    readonly signal?: AbortSignal;
};
/** What can be done with the records of one kind. */
export type Collection<T, Create, Update, Query> = {
    list(query?: Query & CallOptions): Pages<T>;
    get(id: string, options?: CallOptions): Promise<T>;
    create(body: Create, options?: CallOptions): Promise<T>;
    update(id: string, body: Update, options?: ChangeOptions): Promise<T>;
    /** Takes it out of the lists; `restore` brings it back. */
    archive(id: string, options?: ChangeOptions): Promise<void>;
    restore(id: string, options?: CallOptions): Promise<T>;
    /**
     * Everything that has changed since, archived records (with `archivedAt`) too, oldest change first. Answers what to
     * store for the next time. After an interruption, go on from what `onWatermark` stored last: nothing is missed.
     */
    sync(options: SyncOptions<T>): Promise<string | undefined>;
};
export declare function collection<T, Create, Update, Query>(send: Send, path: string): Collection<T, Create, Update, Query>;
/** `data` of an answer with a single record or a plain list. */
export declare function dataOf<T>(body: unknown): T;
