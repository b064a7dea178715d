import type { Kind, Records } from "../records/kinds.ts";
import type { Storage, Write } from "../storage.ts";
/** The time at which these tests begin. */
export declare const base: number;
/** Record number `index` of a tenant, whatever its kind. Number 0 is the tenant itself. */
export declare function idOf(tenant: number, index: number): string;
export declare function stamped(id: string, at: number): {
    id: string;
    createdAt: number;
    updatedAt: number;
    archivedAt: null;
};
export declare function insert<K extends Kind>(kind: K, record: Records[K]): Write;
/** The record with some fields changed, made from the version that `record` is. */
export declare function update<K extends Kind>(kind: K, record: Records[K], changes: Partial<Records[K]>): Write;
/** Commits and answers the instant that the writes were made at. */
export declare function put(storage: Storage, tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<number>;
export declare function newAccount(id: string, at: number, fields?: Partial<Records["account"]>): Records["account"];
export declare function newContact(id: string, at: number, fields?: Partial<Records["contact"]>): Records["contact"];
export declare function newTask(id: string, at: number, fields?: Partial<Records["task"]>): Records["task"];
export declare function newOpportunity(id: string, at: number, fields: Partial<Records["opportunity"]> & Pick<Records["opportunity"], "pipelineId" | "stageId">): Records["opportunity"];
export declare function newUser(id: string, at: number, fields?: Partial<Records["user"]>): Records["user"];
export declare function newAnswer(id: string, at: number, createdAt?: number): Records["idempotencyRecord"];
/** Makes the tenant, and nothing in it. */
export declare function found(storage: Storage, tenant: number, now?: number): Promise<string>;
