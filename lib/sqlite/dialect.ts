import type { Dialect } from "../sql/table.ts";

/** SQL as SQLite writes it. A + keeps a condition from choosing the index. */
export const sqliteDialect: Dialect = {
  jsonList: (expression) => `json_group_array(${expression})`,
  leadingJoin: "CROSS JOIN",
  aside: (condition) => `+${condition}`,
  unlimited: -1,
  boolean: Number,
};
