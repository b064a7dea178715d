import { SqliteError } from "better-sqlite3";
import { StorageUnavailable, WriteConflict } from "../storage.js";
export function carried(result) {
    if (result === "late" || "changes" in result)
        return result;
    const { error } = result;
    if (error instanceof WriteConflict) {
        const { reason, kind, field, id } = error;
        return { conflict: { reason, kind, field, id } };
    }
    if (error instanceof StorageUnavailable)
        return { unavailable: error.message, cause: packed(error.cause) };
    return { fault: packed(error) };
}
export function resultOf(carried) {
    if (carried === "late" || "changes" in carried)
        return carried;
    if ("fault" in carried)
        return { error: unpacked(carried.fault) };
    if ("unavailable" in carried) {
        return { error: new StorageUnavailable(carried.unavailable, { cause: unpacked(carried.cause) }) };
    }
    const { reason, kind, field, id } = carried.conflict;
    return { error: new WriteConflict(reason, kind, field, id) };
}
function packed(error) {
    if (!(error instanceof SqliteError))
        return { other: error };
    const { message, code, stack } = error;
    return { sqlite: { message, code, stack } };
}
function unpacked(fault) {
    if ("other" in fault)
        return fault.other;
    const { message, code, stack } = fault.sqlite;
    return Object.assign(new SqliteError(message, code), { stack });
}
