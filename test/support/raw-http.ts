import { connect, type Socket } from "node:net";

/** A response as parsed from its bytes. Header names are in lower case. */
export type RawResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A connection that records the received data. */
export type RawConnection = {
  readonly socket: Socket;
  /** The responses, when the server has closed the connection. */
  readonly closed: Promise<readonly RawResponse[]>;
};

/** Opens a connection and writes the text unchanged. */
export function open(url: string, text: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => {});
  const closed = new Promise<readonly RawResponse[]>((resolve) =>
    socket.once("close", () => resolve(parseResponses(received))),
  );
  socket.write(text, "latin1");
  return { socket, closed };
}

/** Sends a text and returns the responses until the server closes. The last request needs `Connection: close`. */
export function exchange(url: string, text: string): Promise<readonly RawResponse[]> {
  return open(url, text).closed;
}

function parseResponses(received: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = received; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const chunked = headers["transfer-encoding"] === "chunked";
    const content = rest.slice(end + 4);
    const { body, size } = chunked ? dechunk(content) : { body: content.slice(0, length), size: length };
    responses.push({ status: Number(statusLine.split(" ")[1]), headers, body });
    rest = content.slice(size);
  }
  return responses;
}

function dechunk(content: string): { body: string; size: number } {
  let [body, at] = ["", 0];
  for (;;) {
    const lineEnd = content.indexOf("\r\n", at);
    const size = Number.parseInt(content.slice(at, lineEnd), 16);
    body += content.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (!(size > 0)) return { body, size: at };
  }
}
