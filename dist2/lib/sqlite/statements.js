import { LRUCache } from "lru-cache";
/** More shapes of statement than all endpoints together can ask for; the bound is against surprises. */
const statementsMax = 1_000;
/** The prepared statements of one connection, each made once. */
export class Statements {
    #database;
    #named = new LRUCache({ max: statementsMax });
    #raw = new LRUCache({ max: statementsMax });
    constructor(database) {
        this.#database = database;
    }
    get(sql) {
        let statement = this.#named.get(sql);
        if (statement === undefined) {
            statement = this.#database.prepare(sql);
            this.#named.set(sql, statement);
        }
        return statement;
    }
    /** The same with rows as lists: names take longer to give than values. */
    rows(sql) {
        let statement = this.#raw.get(sql);
        if (statement === undefined) {
            statement = this.#database.prepare(sql).raw();
            this.#raw.set(sql, statement);
        }
        return statement;
    }
}
