import type { Dialect } from "../sql/table.ts";
/** SQL as PostgreSQL writes it. Its planner knows which condition is selective. */
export declare const postgresDialect: Dialect;
