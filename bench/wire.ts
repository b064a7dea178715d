import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What went to a database: statements, and how often an answer was waited for. */
export type Asked = { readonly statements: number; readonly roundTrips: number };

/** Stands before a PostgreSQL and counts what it is asked. */
export async function countingBefore(url: string) {
  const target = new URL(url);
  const asked = { statements: 0, roundTrips: 0 };
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.pipe(other);
      one.on("error", () => other.destroy());
    }
    count(client, asked);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: url.replace(`:${target.port}`, `:${port}`),
    asked: (): Asked => ({ ...asked }),
    stop: () => void server.close(),
  };
}

/** The first message of a connection is its length and no more; all others are a letter and their length. */
function count(client: Socket, asked: { statements: number; roundTrips: number }): void {
  let [rest, isFirst]: [Buffer, boolean] = [Buffer.alloc(0), true];
  client.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const letter = isFirst ? "" : String.fromCharCode(rest[0] ?? 0);
      // A message Q may hold several statements, which are asked together.
      if (letter === "Q" || letter === "E") asked.statements++;
      if (letter === "Q" || letter === "S") asked.roundTrips++;
      rest = rest.subarray(end);
      isFirst = false;
    }
  });
}
