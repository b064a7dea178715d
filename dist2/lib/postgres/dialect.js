/** SQL as PostgreSQL writes it. Its planner knows which condition is selective. */
export const postgresDialect = {
    name: "PostgreSQL",
    jsonList: (expression) => `coalesce(json_agg(${expression})::text, '[]')`,
    leadingJoin: "JOIN",
    given: "?",
    aside: (condition) => condition,
    unlimited: null,
    boolean: (value) => value,
};
