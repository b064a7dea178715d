import type { Dialect } from "../sql/table.ts";

/** SQL as PostgreSQL writes it. Its planner knows which condition is selective. */
export const postgresDialect: Dialect = {
  name: "PostgreSQL",
  jsonList: (expression) => `coalesce(json_agg(${expression})::text, '[]')`,
  orderedJoin: "JOIN",
  placeholder: "?",
  withoutIndex: (condition) => condition,
  noLimit: null,
  boolean: (value) => value,
};
