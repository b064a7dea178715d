import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startLineProgram, stopLineProgram } from "../failures/line-program.ts";
import { tenantWithKeys, writeTenantFile } from "../failures/many-keys.ts";
import type { LimitsProgram, State } from "./server.program.ts";

export const base = "/integrations/v1";

/** A server in another process, so that its memory and its event loop are not those of the clients. */
export async function limitsServer(t: TestContext, options: Omit<LimitsProgram, "tenantFiles"> = {}, tenants = 1) {
  const folder = temporaryFolder(t);
  const crowds = Array.from({ length: tenants }, (_, index) => tenantWithKeys(10, index + 1));
  const tenantFiles = crowds.map((people, index) => writeTenantFile(join(folder, `${index}.json`), people));
  const program = await startLineProgram(t, "limits/server.program.ts", JSON.stringify({ ...options, tenantFiles }));
  return {
    url: program.firstLine,
    /** The keys of each tenant. */
    keys: crowds.map(({ keys }) => keys),
    state: async (): Promise<State> => JSON.parse(await program.send("state")),
    end: async (): Promise<void> => assert.equal(await stopLineProgram(program), 0),
  };
}

/** Returns the text of a request. */
export function request(method: string, path: string, headers: readonly string[], body = ""): string {
  return `${[`${method} ${base}${path} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n${body}`;
}

export type Wire = {
  readonly socket: Socket;
  /** Resolves when the connection is open. */
  readonly opened: Promise<void>;
  /** Resolves with everything received when the connection is closed. */
  readonly closed: Promise<string>;
};

/** Opens a connection from a local address and writes the text. */
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
    socket.once("close", () => reject(new Error("the connection was rejected")));
  });
  opened.catch(() => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  if (text !== "") socket.write(text, "latin1");
  return { socket, opened, closed };
}

/** Returns the status of each response in the received text. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Returns how many of the wanted sockets the limit of open files allows. */
export function affordable(t: TestContext, wanted: number): number {
  const [, soft = "1024"] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  const count = Math.min(wanted, Number(soft) - 200);
  if (count < wanted)
    t.diagnostic(`only ${count} of ${wanted} sockets, because of the limit of open files (ulimit -n)`);
  return count;
}

/** Asserts that a request with a valid API key succeeds. Returns its duration in milliseconds. */
export async function assertServed(url: string, key: string, path = "/me"): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url + base + path, {
    headers: { "x-api-key": key },
    signal: AbortSignal.timeout(30_000),
  });
  assert.equal(response.status, 200, await response.text());
  return performance.now() - startedAt;
}
