import { StorageUnavailable } from "../storage.js";
import { faultOf } from "./fault.js";
import { openPool, PostgresStorage } from "./storage.js";
/**
 * The database as it is at this moment, whatever is written meanwhile: for a dump that is of one moment however long it
 * takes. It refuses writes. The pool is the snapshot's, and ended with it.
 * @throws as postgresStorage
 */
export async function postgresSnapshot(pool) {
    await openPool(pool);
    try {
        const client = await pool.connect();
        // What breaks is told to whoever reads next.
        client.on("error", () => { });
        // A transaction of this sort sees the database as it is at its first read.
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        await client.query("SELECT FROM settings");
        return new Moment(pool, client);
    }
    catch (error) {
        throw faultOf(error);
    }
}
class Moment extends PostgresStorage {
    #client;
    #isOver = false;
    constructor(pool, client) {
        super(pool, inTurns(client));
        this.#client = client;
    }
    async commit() {
        throw new StorageUnavailable("A snapshot takes no writes.");
    }
    async sweep() {
        throw new StorageUnavailable("A snapshot takes no writes.");
    }
    close() {
        if (!this.#isOver)
            this.#client.release(true);
        this.#isOver = true;
        return super.close();
    }
}
/** A connection answers one question at a time. */
function inTurns(client) {
    let last = Promise.resolve();
    return (config) => {
        const next = last.then(() => client.query(config));
        last = next.catch(() => { });
        return next;
    };
}
