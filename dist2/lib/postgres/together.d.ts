import type { Pool, QueryConfig, QueryResult } from "pg";
/**
 * Asks on connections of the pool. What is asked at once, as by one request, shares a connection and with it a round
 * trip; where the connection is not pipelined, each question takes one of its own.
 */
export declare function together(pool: Pool): (config: QueryConfig) => Promise<QueryResult>;
