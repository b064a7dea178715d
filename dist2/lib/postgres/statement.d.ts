import type { QueryConfig } from "pg";
/** A statement that each connection prepares once. Places are written as ? and numbered here. */
export declare function statement(sql: string, values: readonly unknown[]): QueryConfig;
/** `?` → `$1`, `$2`, … No statement of ours has a question mark of another meaning. */
export declare function numbered(sql: string): string;
