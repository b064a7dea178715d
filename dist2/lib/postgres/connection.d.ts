import type { Pool, PoolClient } from "pg";
/**
 * Does this on one connection of the pool, for as long as it takes. What fails is rolled back; a connection that cannot
 * do even that is not used again.
 */
export declare function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T>;
/**
 * Asks several questions of one connection, and sends them in one piece: in pieces, the first of them may be answered
 * before the last is sent. Where pg has its stream elsewhere some day, they go out one by one.
 */
export declare function inOnePiece<T>(client: PoolClient, ask: () => T): T;
