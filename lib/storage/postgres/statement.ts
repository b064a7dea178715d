import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";
import pg from "pg";

/** 64-bit whole numbers are times in milliseconds, exact as numbers; JSON stays the text that was written. */
const types = {
  getTypeParser(oid: number, format?: unknown) {
    if (oid === pg.types.builtins.INT8) return Number;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as QueryConfig["types"];

const names = new Map<string, string>();

/** A statement that each connection prepares once. Places are written as ? and numbered here. */
export function statement(sql: string, values: readonly unknown[]): QueryConfig {
  return {
    name: nameOf(sql),
    text: numberPlaceholders(sql),
    values: [...values],
    ...(types === undefined ? {} : { types }),
  };
}

/** `?` → `$1`, `$2`, … No statement of ours has a question mark of another meaning. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `crm_${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
    names.set(sql, name);
  }
  return name;
}
