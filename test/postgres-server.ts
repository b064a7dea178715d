import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/** A PostgreSQL of the tests' own: where it listens, and how it ends. */
export type PostgresServer = { readonly url: string; stop(): Promise<void> };

/** Why there is none here, or where its programs are. */
export const postgresPrograms = globSync("/usr/lib/postgresql/*/bin/initdb")
  .sort()
  .at(-1)
  ?.replace(/initdb$/, "");

/** Starts one on a free port with a folder of its own. It refuses to run as root, so it runs as postgres there. */
export async function startPostgres(): Promise<PostgresServer> {
  if (postgresPrograms === undefined) throw new Error("PostgreSQL is not installed here");
  const user = process.getuid?.() === 0 ? idsOf("postgres") : undefined;
  const folder = mkdtempSync(join(tmpdir(), "crm-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, stdio: "ignore" } as const;
  execFileSync(
    `${postgresPrograms}initdb`,
    ["-D", data, "-U", "crm", "-A", "trust", "-E", "UTF8", "--no-sync"],
    options,
  );
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    "max_connections=200",
  ];
  const child = spawn(
    `${postgresPrograms}postgres`,
    ["-D", data, ...settings.flatMap((each) => ["-c", each])],
    options,
  );
  const url = `postgres://crm@127.0.0.1:${port}/postgres`;
  const ended = once(child, "exit");
  await until(url);
  return {
    url,
    async stop() {
      if (child.exitCode === null) child.kill("SIGQUIT");
      await ended;
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    },
  };
}

function idsOf(name: string): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Resolves once it takes connections. */
async function until(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("PostgreSQL did not start within ten seconds");
}
