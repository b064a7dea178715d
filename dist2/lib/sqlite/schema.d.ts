/** schema.sql, which stands at the top of the package. */
export declare const schemaSql: string;
