import type { Dialect } from "../sql/table.ts";

/**
 * The SQL dialect of SQLite. A `+` before a condition prevents the use of an index. `likely(?)` hides the parameter from
 * the planner. SQLite would otherwise prepare the statement again for each value.
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
