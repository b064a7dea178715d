import { after, describe, it, test } from "node:test";
import pg from "pg";
import type { Storage } from "../lib/index.ts";
import { postgresStorage } from "../lib/postgres/index.ts";
import { describeStorage } from "../lib/storage-contract/index.ts";
import { postgresPrograms, startPostgres } from "./postgres-server.ts";

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
  const schemas = new Map<Storage, string>();
  const openSchema = async (schema: string): Promise<Storage> => {
    const options = { connectionString: server.url, max: 4, options: `-c search_path=${schema}` };
    const storage = await postgresStorage(new pg.Pool(options));
    schemas.set(storage, schema);
    return storage;
  };
  const inSchemas = {
    async open() {
      const schema = `crm_${schemas.size + 1}`;
      await admin.query(`CREATE SCHEMA ${schema}`);
      return openSchema(schema);
    },
    async reopen(storage: Storage) {
      await storage.close();
      return openSchema(schemas.get(storage) ?? "");
    },
  };
  describeStorage("PostgreSQL", inSchemas, { describe, it });
}
