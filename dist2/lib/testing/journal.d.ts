/** One request as it was received, and how it was answered. */
export type JournalEntry = {
    readonly method: string;
    /** With the query string, as it was sent. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The JSON that was sent; the text where it was no JSON, null where nothing was. */
    readonly body: unknown;
    /** The id of the operation; null where path and method lead to none. */
    readonly operation: string | null;
    /** Null while it is under way, and where the connection was dropped. */
    readonly status: number | null;
};
/** The requests received, the oldest first. */
export declare class Journal {
    #private;
    get entries(): readonly JournalEntry[];
    /** Notes a request that has begun. */
    begin(request: Request, path: string, operation: string | null): Received;
    clear(): void;
}
/** A request whose body is recorded when it is read. */
export declare class Received {
    #private;
    status: number | null;
    constructor({ method, headers }: Request, path: string, operation: string | null, onBytes: (length: number) => void);
    get length(): number;
    /** Records the body. */
    record(body: Uint8Array): Uint8Array;
    entry(): JournalEntry;
}
