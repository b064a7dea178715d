import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { maxBodyBytes } from "../http/body.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import { createMcp, type McpOptions } from "./create-mcp.ts";

export type McpStreams = { readonly stdin: Readable; readonly stdout: Writable };

/** A server on two streams. */
export type McpConnection = {
  /** Resolves after the client has closed the input and got the last response, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
};

/** Serves MCP on two streams, one JSON-RPC message per line. A message has the limits of a request body of the API. */
export function serveMcpStdio(options: McpOptions, streams: McpStreams): McpConnection {
  const transport = new LineTransport(streams);
  const { close } = serveStdio(() => createMcp(options), { transport });
  return { closed: transport.closed, close };
}

/**
 * Unlike the transport of the SDK, rejects the JSON that the API rejects, and sends the responses that it owes after
 * the end of the input.
 */
class LineTransport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly closed: Promise<void>;
  readonly #resolve: () => void;
  readonly #streams: McpStreams;
  /** The IDs of the requests without a response. */
  readonly #open = new Set<unknown>();
  #isInputOver = false;
  #isClosed = false;

  constructor(streams: McpStreams) {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#streams, this.closed, this.#resolve] = [streams, promise, resolve];
  }

  async start(): Promise<void> {
    const lines = createInterface({ input: this.#streams.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on("line", (line) => this.#receive(line));
    lines.once("close", () => {
      this.#isInputOver = true;
      this.#closeIfDone();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(message);
    if (!("method" in message)) this.#open.delete(message.id);
    this.#closeIfDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#streams.stdin.pause();
    this.onclose?.();
    this.#resolve();
  }

  #receive(line: string): void {
    if (line.trim() === "" || this.#isClosed) return;
    try {
      const bytes = Buffer.from(line);
      if (bytes.length > maxBodyBytes) throw new JsonParseError("has more than 1 MiB.");
      const message = parseJSONRPCMessage(parseJsonObject(bytes));
      if ("method" in message && "id" in message) this.#open.add(message.id);
      this.onmessage?.(message);
    } catch (error) {
      const [code, text] =
        error instanceof JsonParseError
          ? [ProtocolErrorCode.ParseError, error.message.replace("The body", "The message")]
          : [ProtocolErrorCode.InvalidRequest, "The message isn't a JSON-RPC message."];
      this.#write({ jsonrpc: "2.0", id: null, error: { code, message: text } });
    }
  }

  #write(message: object): void {
    this.#streams.stdout.write(`${JSON.stringify(message)}\n`);
  }

  #closeIfDone(): void {
    if (this.#isInputOver && this.#open.size === 0) void this.close();
  }
}
