/** A use of a table in a statement. `unbound`: no condition limits its rows to one tenant. */
export type Use = { readonly table: string; readonly does: "reads" | "inserts" | "changes"; readonly unbound: boolean };

type Named = { readonly table: string; readonly alias: string; readonly does: Use["does"] };

const words = ["WHERE", "ON", "SET", "JOIN", "LEFT", "CROSS", "ORDER", "LIMIT", "RETURNING", "VALUES", "USING"];

/**
 * Returns every use of a table in SQL text. A use is bound to a tenant by a condition `tenant_id = $1` of the same
 * query, by equality with the tenant of a bound table of this or an outer query, or in an INSERT by its first column.
 * Reads only the text: any other use counts as unbound.
 */
export function usesOf(sql: string, tables: readonly string[]): Use[] {
  return sql.split(/;\s*/).flatMap((statement) => usesIn(` ${statement.replace(/\s+/g, " ")} `, tables, new Set()));
}

function usesIn(text: string, tables: readonly string[], around: ReadonlySet<string>): Use[] {
  return text.split(/ UNION ALL /).length > 1 && depthOf(text, text.indexOf(" UNION ALL ")) === 0
    ? splitAtTop(text, " UNION ALL ").flatMap((part) => usesIn(` ${part} `, tables, around))
    : usesInOne(text, tables, around);
}

/** Returns the uses in one query. A query in parentheses sees the tables of the outer query. */
function usesInOne(text: string, tables: readonly string[], around: ReadonlySet<string>): Use[] {
  const { flat, inner } = flattened(text);
  const named = namesIn(flat, tables);
  const bound = boundIn(flat, named, around);
  const own = named.map(({ table, alias, does }): Use => {
    const isBound = does === "inserts" ? beginsWithTenant(text, table) : bound.has(alias);
    return { table, does, unbound: !isBound };
  });
  return [...own, ...inner.flatMap((query) => usesIn(` ${query} `, tables, new Set([...around, ...bound])))];
}

function namesIn(flat: string, tables: readonly string[]): Named[] {
  const found = flat.matchAll(/\b(FROM|JOIN|UPDATE|INSERT INTO|DELETE FROM) (\w+)(?: (?:AS )?(\w+))?/g);
  return [...found].flatMap(([, verb = "", table = "", alias = ""]): Named[] => {
    if (!tables.includes(table) || (verb === "UPDATE" && table === "SET")) return [];
    const does = verb === "INSERT INTO" ? "inserts" : /UPDATE|DELETE/.test(verb) ? "changes" : "reads";
    return [{ table, does, alias: alias === "" || words.includes(alias.toUpperCase()) ? table : alias }];
  });
}

/** Returns the aliases that are bound to a tenant. */
function boundIn(flat: string, named: readonly Named[], around: ReadonlySet<string>): Set<string> {
  const [only, ...more] = named;
  const bound = new Set<string>();
  const side = (alias: string | undefined): string =>
    alias?.slice(0, -1) ?? (more.length === 0 ? (only?.alias ?? "") : "");
  const value = /\b(\w+\.)?tenant_id = (?:\$\d+|'[^']*')/g;
  // An assigned value isn't a condition.
  const conditions = flat.replace(/ SET .*?(?= FROM | WHERE |$)/g, " ");
  for (const [, alias] of conditions.matchAll(value)) bound.add(side(alias));
  // In a group commit, parameters contain the tenant of each row.
  for (const [, alias = ""] of conditions.matchAll(/\b(?:plan|locked|moved|r\d+) (\w)\b/g)) bound.add(alias);
  const pairs = [...conditions.matchAll(/\b(\w+\.)?tenant_id = (\w+\.)tenant_id/g)].map(([, a, b]) => [
    side(a),
    side(b),
  ]);
  for (let turn = 0; turn <= pairs.length; turn++) {
    for (const [a = "", b = ""] of pairs) {
      if (bound.has(a) || around.has(a)) bound.add(b);
      if (bound.has(b) || around.has(b)) bound.add(a);
    }
  }
  return bound;
}

/**
 * Returns whether the text inserts the tenant first: `INSERT INTO t (tenant_id, …) VALUES ($1, …)`, or with `SELECT $1,
 * …`.
 */
function beginsWithTenant(text: string, table: string): boolean {
  return new RegExp(
    `INSERT INTO ${table} \\("?tenant_id"?[,)][^)]*\\)? ?(?:VALUES \\(\\$\\d+|SELECT \\$\\d+|SELECT r."tenant_id")`,
  ).test(text);
}

/** Returns the text without its parenthesized parts, and these parts. */
function flattened(text: string): { readonly flat: string; readonly inner: readonly string[] } {
  const inner: string[] = [];
  let [flat, depth, start] = ["", 0, 0];
  for (const [index, letter] of [...text].entries()) {
    if (letter === "(" && depth++ === 0) start = index + 1;
    else if (letter === ")" && --depth === 0) inner.push(text.slice(start, index));
    else if (depth === 0) flat += letter;
  }
  return { flat, inner };
}

function depthOf(text: string, end: number): number {
  return [...text.slice(0, end)].reduce((depth, letter) => depth + Number(letter === "(") - Number(letter === ")"), 0);
}

function splitAtTop(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  if (at < 0 || depthOf(text, at) !== 0) return [text];
  return [text.slice(0, at), ...splitAtTop(text.slice(at + separator.length), separator)];
}
