import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { openSnapshot } from "../../bin/database/database.ts";
import { StorageUnavailable } from "../../lib/index.ts";
import { noPostgres, type PostgresServer, quickSettings, startPostgres } from "../support/postgres-server.ts";
import { crmIntegrations } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

suite("a tenant on PostgreSQL", { skip: noPostgres }, () => {
  const folder = temporaryFolder();
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres(quickSettings);
  });
  after(() => server?.stop());

  test("is exported byte for byte like the same tenant in SQLite", async () => {
    const data = join(folder, "data");
    assert.equal((await crmIntegrations("load", "demo", "--data", data)).code, 0);
    const inFolder = await crmIntegrations("dump", "--data", data);
    const loaded = await crmIntegrations("load", "demo", "--database", server.url);
    assert.equal(loaded.code, 0, loaded.stderr);
    assert.deepEqual(await crmIntegrations("dump", "--database", server.url), inFolder);
  });

  test("is exported from one snapshot", async () => {
    const snapshot = await openSnapshot({ database: server.url });
    const [tenant] = await snapshot.listTenants();
    const pool = new pg.Pool({ connectionString: server.url });
    await pool.query("UPDATE tenants SET name = 'Changed since'");
    await pool.end();
    assert.deepEqual(await snapshot.listTenants(), [tenant]);
    await assert.rejects(snapshot.pruneEvents(tenant?.id ?? "", 0), StorageUnavailable);
    await snapshot.close();
  });
});
