import { StorageUnavailable } from "../storage.js";
import { Connections } from "./connections.js";
import { quickCheckBytesMax } from "./examine.js";
import { openExisting, openWriter } from "./file.js";
import { refusalOf } from "./refused.js";
import { standingAt } from "./standing.js";
/** How often another file in the place of the one that was opened is looked through. */
const lookEveryMs = 2_000;
/**
 * A database at its path. What was opened is read from, also when it stands there no more; written is only to what
 * the next start will find there.
 */
export class Place {
    #path;
    #apart;
    #open;
    #sizeSeen;
    #lookedAt = Number.NEGATIVE_INFINITY;
    /** @throws DatabaseRefused */
    constructor(path, open = openWriter, apart = {}) {
        this.#path = path;
        this.#apart = apart;
        this.#open = connect(path, () => open(path), apart);
        this.#sizeSeen = this.#open.standing?.size ?? 0;
    }
    /** To read from. */
    get open() {
        return this.#open;
    }
    /** To write to. A copy of the database that has taken its place is opened first. @throws StorageUnavailable */
    standing() {
        const { fault, isOther } = this.#find();
        if (fault === undefined)
            return this.#open;
        if (isOther !== true || performance.now() - this.#lookedAt < lookEveryMs)
            throw new StorageUnavailable(fault);
        this.#goOver();
        return this.#open;
    }
    /** @throws StorageUnavailable where what was just written stands there no more */
    assertStands() {
        const { fault } = this.#find();
        if (fault !== undefined)
            throw new StorageUnavailable(fault);
    }
    close() {
        return this.#open.close();
    }
    #find() {
        const { standing: opened } = this.#open;
        if (opened === undefined)
            return {};
        const [path, found] = [this.#path, standingAt(this.#path)];
        if (found === undefined)
            return { fault: `${path} is gone. Put it back.` };
        if (found.file !== opened.file) {
            const stop = `${path} was replaced beside the log of the old file. Stop, remove ${path}-wal, start again.`;
            if (found.log === opened.log)
                return { fault: stop };
            if (found.size > quickCheckBytesMax)
                return { fault: `${path} was replaced. Start again to use what is there now.` };
            return { fault: `${path} was replaced.`, isOther: true };
        }
        if (found.log !== opened.log)
            return {
                fault: `${path}-wal was removed while it was in use. Stop, so that what it held is kept, and start again.`,
            };
        if (found.size < this.#sizeSeen && !this.#open.fits(found.size))
            return { fault: `${path} was cut off at ${found.size} bytes.` };
        this.#sizeSeen = found.size;
        return {};
    }
    /** Only a copy is gone over to: what else stands there would make callers unknown and their records vanish. */
    #goOver() {
        this.#lookedAt = performance.now();
        const other = this.#openOther();
        if (Buffer.compare(other.secret(), this.#open.secret()) !== 0) {
            void other.close();
            throw new StorageUnavailable(`${this.#path} was replaced by another database. Start again to use that one.`);
        }
        void this.#open.close();
        this.#open = other;
        this.#sizeSeen = other.standing?.size ?? 0;
    }
    #openOther() {
        try {
            return connect(this.#path, () => openExisting(this.#path), this.#apart);
        }
        catch (error) {
            throw new StorageUnavailable(error.message, { cause: error });
        }
    }
}
/** @throws DatabaseRefused */
function connect(path, open, apart) {
    const database = open();
    try {
        return new Connections(database, undefined, apart);
    }
    catch (error) {
        database.close();
        throw refusalOf(error, path);
    }
}
