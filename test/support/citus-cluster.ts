import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { noPostgres, type PostgresServer, postgresPrograms, quickSettings, startPostgres } from "./postgres-server.ts";

/** A coordinator and two workers with Citus. */
export type CitusCluster = {
  /** The address of the coordinator. */
  readonly url: string;
  readonly workers: readonly PostgresServer[];
  /** Adds an empty worker. Returns its port. */
  addWorker(): Promise<number>;
  stop(): Promise<void>;
};

function isInstalled(): boolean {
  const { stdout } = spawnSync(`${postgresPrograms}pg_config`, ["--sharedir"], { encoding: "utf8" });
  return existsSync(join(stdout?.trim() ?? "", "extension", "citus.control"));
}

/** The reason to skip a test that needs Citus. `false` if it is installed. */
export const noCitus: string | false =
  noPostgres ||
  (!isInstalled() &&
    `Citus isn't installed in the PostgreSQL of ${postgresPrograms}. Build version 13.2 for PostgreSQL 15 to run this test`);

/** Few shards, because each is a table and each new table takes time. */
const settings = [
  ...quickSettings,
  "shared_preload_libraries=citus",
  "citus.shard_count=4",
  "wal_level=logical",
  "max_worker_processes=24",
  // The nodes are on one machine, and the user that runs them may have no home folder for certificates.
  "citus.node_conninfo=sslmode=disable",
];

/** Starts a cluster on free ports. No node waits for its disk. */
export async function startCitus(): Promise<CitusCluster> {
  const nodes: PostgresServer[] = [];
  const addNode = async (): Promise<PostgresServer> => {
    const node = await startPostgres(settings);
    nodes.push(node);
    await run(node.url, "CREATE EXTENSION citus");
    return node;
  };
  const portOf = ({ url }: PostgresServer): number => Number(new URL(url).port);
  const coordinator = await addNode();
  await run(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`);
  const addWorker = async (): Promise<PostgresServer> => {
    const worker = await addNode();
    await run(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${portOf(worker)})`);
    return worker;
  };
  return {
    url: coordinator.url,
    workers: [await addWorker(), await addWorker()],
    addWorker: async () => portOf(await addWorker()),
    async stop() {
      for (const node of nodes) await node.stop();
    },
  };
}

/** Runs SQL on one node. */
async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
