import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An address that forwards connections to a server, as a virtual IP or a service name does. */
export type TcpForwarder = {
  readonly port: number;
  /** Forwards new connections to this port. Existing connections don't move. */
  moveTo(port: number): void;
  close(): void;
};

/** Forwards TCP connections to a port of this machine. */
export async function startForwarder(target: number): Promise<TcpForwarder> {
  let port = target;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: (next) => {
      port = next;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
