/** Why a commit was refused. Nothing of it was kept. */
export class WriteConflict extends Error {
    /** `taken`: the id or a unique value belongs to another record. `stale`: the record is no longer what was read. */
    reason;
    kind;
    /** The field in the way: `id`, or one with a unique folding. */
    field;
    /** The record in the way. */
    id;
    constructor(reason, kind, field, id) {
        super(`${kind} ${id}: ${field} is ${reason}`);
        this.name = "WriteConflict";
        this.reason = reason;
        this.kind = kind;
        this.field = field;
        this.id = id;
    }
}
/** The storage cannot be used just now: locked by others, out of space, closed. Whether a commit happened is unknown. */
export class StorageUnavailable extends Error {
    constructor(message, options) {
        super(message, options);
        this.name = "StorageUnavailable";
    }
}
/**
 * The tenant's clock after a commit at `at`. For adapters: to be asked before the writes are applied.
 * @throws TypeError where a record does not carry `at` though its tenant was there before.
 */
export function clockAfter(at, writes) {
    const born = writes.some((write) => write.kind === "tenant" && write.op === "insert");
    let last = at;
    for (const { kind, record } of writes) {
        if (!born && record.updatedAt !== at)
            throw new TypeError(`${kind} ${record.id}: updatedAt must be ${at}`);
        last = Math.max(last, record.updatedAt);
    }
    return last;
}
