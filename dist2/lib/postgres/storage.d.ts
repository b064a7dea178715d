import type { Pool, QueryConfig } from "pg";
import type { Kind, Records } from "../records/kinds.ts";
import { type ActiveContact, type Credential, type Query, type Storage, type Write } from "../storage.ts";
import { type CommitBatch } from "./commit-queue.ts";
type Row = Record<string, unknown>;
/** Where reads are asked. */
export type Ask = (config: QueryConfig) => Promise<{
    readonly rows: Row[];
}>;
export type PostgresOptions = {
    /** Told of each transaction that was made: for metrics. Must not throw. */
    readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
};
/**
 * Opens PostgreSQL 15 or later as a storage, for any number of servers. Creates the schema if there is none. The
 * storage owns the pool and ends it on `close`. If the pool sets no timeouts, a connection attempt may take 5 seconds
 * and a statement 30 seconds.
 * @throws DatabaseRefused if the schema is newer, if commits aren't durable or if a pooler loses prepared statements
 * @throws StorageUnavailable if the database can't be reached or is a standby
 */
export declare function postgresStorage(pool: Pool, { onCommit }?: PostgresOptions): Promise<Storage>;
/**
 * Prepares the pool: it survives a database restart, uses pipelining and rejects standbys. Then updates the schema.
 * @throws DatabaseRefused, StorageUnavailable as `postgresStorage`
 * @throws TypeError if the pool reads in binary
 */
export declare function openPool(pool: Pool): Promise<void>;
/** What a pool keeps. */
export declare class PostgresStorage implements Storage {
    #private;
    constructor(pool: Pool, ask: Ask, onCommit?: PostgresOptions["onCommit"]);
    get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined>;
    list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]>;
    commit(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void>;
    apiKey(hash: string): Promise<Credential | undefined>;
    activeOpportunities(tenant: string, emailKeys: readonly string[], limit: number): Promise<readonly ActiveContact[]>;
    tenants(): Promise<readonly Records["tenant"][]>;
    secret(): Promise<Uint8Array>;
    /** Tenant by tenant: the oldest of all would be looked for on every shard. */
    sweep(before: number): Promise<number>;
    close(): Promise<void>;
}
export {};
