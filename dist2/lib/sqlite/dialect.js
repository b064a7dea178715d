/**
 * SQL as SQLite writes it. A + keeps a condition from choosing the index. With a bare ? in a comparison or after LIMIT,
 * SQLite prepares the statement anew at each execution, to plan with the value that it has this time; `likely` hides it.
 */
export const sqliteDialect = {
    name: "SQLite",
    jsonList: (expression) => `json_group_array(${expression})`,
    leadingJoin: "CROSS JOIN",
    given: "likely(?)",
    aside: (condition) => `+${condition}`,
    unlimited: -1,
    boolean: Number,
};
