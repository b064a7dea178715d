import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { type ArrayRows, type ArrayType, arrayParameters } from "../../lib/storage/postgres/array-parameters.ts";
import { statement } from "../../lib/storage/postgres/statement.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { noPostgres } from "../support/postgres-server.ts";

describe("Array parameters of PostgreSQL", { skip: noPostgres }, () => {
  const types: readonly ArrayType[] = ["text", "bigint", "double precision", "boolean"];
  const unnest = `unnest(${types.map((type) => `?::${type}[]`).join(", ")})`;

  test("have the value of each row and column", async (t) => {
    const client = new pg.Client({ connectionString: await freshAddress() });
    await client.connect();
    t.after(() => client.end());
    const rows = [
      ["", 0, 0, false],
      ["plain", 1, 0.1, true],
      ["Åsa 'Ünal' {a,\"b\"} \\ \n €", -1, -1e-300, false],
      ["👩‍🚀 名前", 2 ** 32, 1.7e308, true],
      [null, null, null, null],
      ["x".repeat(100_000), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, true],
      [undefined, Number.MIN_SAFE_INTEGER, -5, null],
      ["time", 1_767_225_600_123, 2.5, null],
      ["before 1970", -(2 ** 32) - 1, 3, false],
    ];
    const read = async (parts: readonly ArrayRows[], sql: string) =>
      (await client.query({ ...statement(sql, arrayParameters(parts)), rowMode: "array" })).rows;
    const expected = rows.map((row) => row.map((value) => value ?? null));
    assert.deepEqual(await read([{ types, rows }], `SELECT * FROM ${unnest}`), expected);
    assert.deepEqual(await read([{ types, rows: [] }], `SELECT * FROM ${unnest}`), []);
    const parts = [
      { types, rows: rows.slice(0, 2) },
      { types, rows: rows.slice(2) },
    ];
    assert.deepEqual(await read(parts, `SELECT * FROM ${unnest} UNION ALL SELECT * FROM ${unnest}`), expected);
  });
});
