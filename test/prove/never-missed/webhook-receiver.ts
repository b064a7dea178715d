import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Shown } from "./ledger.ts";

/** A message as it arrived. `id` is the ID of the event. */
export type Arrival = { readonly id: string; readonly type: string; readonly event: Shown; readonly record: Shown };

/** Receives webhook messages. Some get an error, a redirect, a broken connection or no response. */
export class WebhookReceiver {
  /** All messages by path, in the order in which they arrived. */
  readonly arrivals = new Map<string, Arrival[]>();
  /** Number of messages without a response 2xx. */
  faults = 0;
  /** Whether each message is accepted. */
  isReliable = false;
  readonly #random: () => number;
  #server: Server;
  #port = 0;

  constructor(random: () => number) {
    this.#random = random;
    this.#server = this.#create();
  }

  /** Opens the port: any free one, then the same one. */
  async open(): Promise<string> {
    this.#server = this.#create();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Breaks all connections and closes the port, as a process that is killed. */
  async kill(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #create(): Server {
    return createServer((request, response) => void this.#receive(request, response).catch(() => request.destroy()));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    const [path, id] = [request.url ?? "", String(request.headers["webhook-id"])];
    const arrivals = this.arrivals.get(path) ?? [];
    this.arrivals.set(path, arrivals);
    arrivals.push({ id, type, ...data });
    const chance = this.isReliable ? 1 : this.#random();
    if (chance < 0.04) this.faults++;
    if (chance < 0.01) request.socket.destroy();
    else if (chance < 0.02) response.writeHead(503).end();
    else if (chance < 0.03) response.writeHead(302, { location: "/elsewhere" }).end();
    // Less than 0.04: no response until the connection ends.
    else if (chance >= 0.04) response.writeHead(204).end();
  }
}
