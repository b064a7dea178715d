import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Redis server of a test, on a socket in a new folder. */
export type RedisServer = {
  readonly socket: string;
  /** Suspends the server until `resume`, as a network does that drops all packets. */
  halt(): void;
  resume(): void;
  stop(): Promise<void>;
};

/** The installed program, Redis or Valkey. */
export const redisProgram = ["redis-server", "valkey-server"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);

/** Starts a server. */
export async function startRedis(): Promise<RedisServer> {
  if (redisProgram === undefined) throw new Error("Redis isn't installed.");
  const folder = mkdtempSync(join(tmpdir(), "crm-redis-"));
  const socket = join(folder, "redis.sock");
  const child = spawn(redisProgram, ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder]);
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text) => /ready to accept connections/i.test(String(text)) && resolve());
    child.once("exit", () => reject(new Error("Redis ended before it was ready")));
  });
  return {
    socket,
    halt: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
