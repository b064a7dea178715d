import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Redis of the tests' own, on a socket in a folder of its own. */
export type RedisServer = {
  readonly socket: string;
  /** It stands still, as behind a network that drops everything, until it is told to go on. */
  halt(): void;
  goOn(): void;
  stop(): Promise<void>;
};

/** The program that is here, Redis or Valkey. */
export const redisProgram = ["redis-server", "valkey-server"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);

export async function startRedis(): Promise<RedisServer> {
  if (redisProgram === undefined) throw new Error("Redis is not installed here");
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
    goOn: () => void child.kill("SIGCONT"),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
