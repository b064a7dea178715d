import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { LimitsProgram, State } from "./limits.program.ts";
import { crowd, crowdFile } from "./place-crowd.ts";
import { trialFolder } from "./place-disk.ts";
import { farewell, talk } from "./place-talk.ts";

export const base = "/integrations/v1";

/** A server in a process of its own, so that its memory and its event loop are told apart from the clients'. */
export async function limitsServer(t: TestContext, options: Omit<LimitsProgram, "tenantFiles"> = {}, tenants = 1) {
  const folder = trialFolder(t);
  const crowds = Array.from({ length: tenants }, (_, index) => crowd(10, index + 1));
  const tenantFiles = crowds.map((people, index) => crowdFile(join(folder, `${index}.json`), people));
  const program = await talk(t, "limits.program.ts", JSON.stringify({ ...options, tenantFiles }));
  return {
    url: program.hello,
    /** The keys of each tenant. */
    keys: crowds.map(({ keys }) => keys),
    state: async (): Promise<State> => JSON.parse(await program.ask("how are you?")),
    end: async (): Promise<void> => assert.equal(await farewell(program), 0),
  };
}

/** The head of a request, and what follows it. */
export function request(method: string, path: string, headers: readonly string[], body = ""): string {
  return `${[`${method} ${base}${path} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n${body}`;
}

export type Wire = {
  readonly socket: Socket;
  /** Whether it is open now. */
  readonly opened: Promise<void>;
  /** What came back in all, once the other side has closed it. */
  readonly closed: Promise<string>;
};

/** Opens a connection, from this address of this machine, and writes this. */
export function wire(url: string, text: string, localAddress = "127.0.0.1"): Wire {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => {});
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("close", () => reject(new Error("the connection was refused")));
  });
  opened.catch(() => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  if (text !== "") socket.write(text, "latin1");
  return { socket, opened, closed };
}

/** The status of every answer in what came back. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** How many sockets a test may have open here, of so many that it wants; two are needed where both ends are ours. */
export function affordable(t: TestContext, wanted: number): number {
  const [, soft = "1024"] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  const count = Math.min(wanted, Number(soft) - 200);
  if (count < wanted) t.diagnostic(`only ${count} of ${wanted} sockets: no more files may be open here (ulimit -n)`);
  return count;
}

/** That somebody with a good key is served now; answers in how many milliseconds. */
export async function assertServed(url: string, key: string, path = "/me"): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url + base + path, {
    headers: { "x-api-key": key },
    signal: AbortSignal.timeout(30_000),
  });
  assert.equal(response.status, 200, await response.text());
  return performance.now() - begun;
}
