import { after, test } from "node:test";
import pg from "pg";
import { postgresStorage } from "../lib/postgres/index.ts";
import { postgresPrograms, startPostgres } from "./postgres-server.ts";
import { describeStorage } from "./storage.contract.ts";

if (postgresPrograms === undefined) {
  test("PostgreSQL as a storage", (t) =>
    t.skip("PostgreSQL is not installed here (Debian: apt-get install postgresql)"));
} else {
  const server = await startPostgres();
  const admin = new pg.Pool({ connectionString: server.url, max: 1 });
  admin.on("error", () => {});
  after(async () => {
    await admin.end();
    await server.stop();
  });
  let schemas = 0;
  describeStorage("PostgreSQL", async () => {
    const schema = `crm_${++schemas}`;
    await admin.query(`CREATE SCHEMA ${schema}`);
    const open = () => {
      return postgresStorage(
        new pg.Pool({ connectionString: server.url, max: 4, options: `-c search_path=${schema}` }),
      );
    };
    const storage = await open();
    const reopen = async () => {
      await storage.close();
      return open();
    };
    return { storage, reopen };
  });
}
