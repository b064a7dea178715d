/**
 * Writes responses: the first of an event loop tick at once, the others together at the end of the tick. Waking a
 * sleeping client costs more than the rest of a write, and a client stays awake while responses are written in a row.
 */
export declare class ResponseBatcher {
    #private;
    /** @param size length of the body. A large response is written at once, because it would hold memory while it waits. */
    send(size: number, write: () => void): void;
}
