import type { Kind, Records } from "../records/kinds.ts";
import { type ActiveContact, type Credential, type Query, type RecordJson, type Storage, type Write } from "../storage.ts";
import type { PlaceLike } from "./place.ts";
import type { CommitBatch } from "./told.ts";
/** What a place of SQLite keeps. */
export declare class SqliteStorage implements Storage {
    #private;
    constructor(place: PlaceLike, onCommit?: (batch: CommitBatch) => void);
    get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined>;
    getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined>;
    list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]>;
    listJson(tenant: string, kind: Kind, query: Query): Promise<readonly RecordJson[]>;
    commit(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void>;
    apiKey(hash: string): Promise<Credential | undefined>;
    activeOpportunities(tenant: string, emailKeys: readonly string[], limit: number): Promise<readonly ActiveContact[]>;
    tenants(): Promise<readonly Records["tenant"][]>;
    secret(): Promise<Uint8Array>;
    sweep(before: number): Promise<number>;
    close(): Promise<void>;
}
