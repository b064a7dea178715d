import type { Dialect } from "../sql/table.ts";

/**
 * SQL as SQLite writes it. A + keeps a condition from choosing the index. With a bare ? in a comparison or after LIMIT,
 * SQLite prepares the statement anew at each execution, to plan with the value that it has this time; `likely` hides it.
 */
export const sqliteDialect: Dialect = {
  name: "SQLite",
  jsonList: (expression) => `json_group_array(${expression})`,
  orderedJoin: "CROSS JOIN",
  placeholder: "likely(?)",
  withoutIndex: (condition) => `+${condition}`,
  noLimit: -1,
  boolean: Number,
};
