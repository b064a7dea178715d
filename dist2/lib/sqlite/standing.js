import * as fs from "node:fs";
/** Undefined where there is no file, or nobody may look. */
export function standingAt(path) {
    try {
        const file = fs.statSync(path, { bigint: true });
        const log = fs.statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
        return { file: `${file.dev}:${file.ino}`, size: Number(file.size), log: log ? `${log.dev}:${log.ino}` : "" };
    }
    catch {
        return undefined;
    }
}
