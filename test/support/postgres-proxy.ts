import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Number of statements and of round trips. */
export type Traffic = { readonly statements: number; readonly roundTrips: number };

/**
 * Starts a proxy for PostgreSQL that counts statements and round trips. A message that is sent before the response to
 * the previous one arrived belongs to the same round trip.
 */
export async function startCountingProxy(url: string) {
  const target = new URL(url);
  const traffic = { statements: 0, roundTrips: 0 };
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
    count(client, database, traffic);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: url.replace(`:${target.port}`, `:${port}`),
    traffic: (): Traffic => ({ ...traffic }),
    stop: () => void server.close(),
  };
}

function count(client: Socket, database: Socket, traffic: { statements: number; roundTrips: number }): void {
  let pending = 0;
  // The first message of a connection starts with its length, all others with a letter and their length.
  onMessages(client, true, (letter) => {
    // A message Q can contain several statements. They count as one.
    if (letter === "Q" || letter === "E") traffic.statements++;
    if (letter !== "Q" && letter !== "S") return;
    if (pending++ === 0) traffic.roundTrips++;
  });
  onMessages(database, false, (letter) => {
    // The first ReadyForQuery of a connection responds to no message.
    if (letter === "Z") pending = Math.max(0, pending - 1);
  });
}

/** Calls back with the letter and the bytes of each message. The first message of a client has no letter. */
export function onMessages(
  socket: Socket,
  hasGreeting: boolean,
  onMessage: (letter: string, bytes: Buffer) => void,
): void {
  let [rest, isFirst]: [Buffer, boolean] = [Buffer.alloc(0), hasGreeting];
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const letter = isFirst ? "" : String.fromCharCode(rest[0] ?? 0);
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      isFirst = false;
      onMessage(letter, bytes);
    }
  });
}
