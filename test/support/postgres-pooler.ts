import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onMessages } from "./postgres-proxy.ts";

/**
 * A pooler in transaction mode that doesn't track prepared statements, as PgBouncer before 1.21: each client has two
 * server connections, and each transaction uses the other one.
 */
export async function startForgetfulPooler(url: string): Promise<{ readonly url: string; close(): void }> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const pooler = createServer((client) => {
    const servers = [0, 1].map(() => connect(Number(port), hostname));
    for (const socket of [client, ...servers]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        for (const each of [client, ...servers]) each.destroy();
      });
    }
    poolByTransaction(client, servers);
  });
  pooler.listen(0, "127.0.0.1");
  await once(pooler, "listening");
  const own = (pooler.address() as AddressInfo).port;
  return {
    url: url.replace(`:${port}`, `:${own}`),
    close: () => {
      pooler.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function poolByTransaction(client: Socket, servers: readonly Socket[]): void {
  let [current, readyCount] = [0, 0];
  let isBusy = true;
  let group: Buffer[] = [];
  const groups: Buffer[] = [];
  const sendNext = (): void => {
    const next = isBusy ? undefined : groups.shift();
    if (next === undefined) return;
    isBusy = true;
    servers[current]?.write(next);
  };
  onMessages(client, true, (letter, bytes) => {
    if (letter === "") for (const server of servers) server.write(bytes);
    if (letter === "" || letter === "X") return;
    group.push(bytes);
    // A simple query and a Sync end a group of messages that the server responds to with one ReadyForQuery.
    if (letter !== "Q" && letter !== "S") return;
    groups.push(Buffer.concat(group));
    group = [];
    sendNext();
  });
  for (const [index, server] of servers.entries()) {
    onMessages(server, false, (letter, bytes) => {
      const isReady = letter === "Z";
      const isStart = readyCount < servers.length;
      if (isReady) readyCount++;
      // The client sees one start-up, which ends when both server connections are ready.
      if (isStart && (isReady ? readyCount < servers.length : index > 0)) return;
      client.write(bytes);
      if (!isReady) return;
      isBusy = false;
      if (String.fromCharCode(bytes.at(-1) ?? 0) === "I") current = (current + 1) % servers.length;
      sendNext();
    });
  }
}
