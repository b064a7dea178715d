import type { Pool } from "pg";
import { type Storage } from "../storage.ts";
/**
 * The database as it is at this moment, whatever is written meanwhile: for a dump that is of one moment however long it
 * takes. It refuses writes. The pool is the snapshot's, and ended with it.
 * @throws as postgresStorage
 */
export declare function postgresSnapshot(pool: Pool): Promise<Storage>;
