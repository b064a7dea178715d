import type { ClientBase } from "pg";
import { type Write, WriteConflict } from "../storage.ts";
/**
 * Which record is in the way of a write that a constraint has refused, or undefined where it was something else: asked
 * in the midst of the commit, with all earlier writes made.
 */
export declare function conflictOf(client: Pick<ClientBase, "query">, tenant: string, { kind, op, record }: Write): Promise<WriteConflict | undefined>;
