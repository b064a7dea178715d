/** schema.sql, which stands beside this. */
export declare const schemaSql: string;
