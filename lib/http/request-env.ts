import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpResponse } from "./http-response.ts";

/** What the server or the host knows about a request besides the Request. The second parameter of `fetch`. */
export type RequestEnv = {
  /** The client address. Failed authentication is limited by it. The default is the address of the socket. */
  readonly remoteAddress?: string | undefined;
  /** The request object of the host's framework, for `authenticate`. */
  readonly hostRequest?: unknown;
  /** The Node request and response, set by @hono/node-server. */
  readonly incoming?: IncomingMessage | undefined;
  readonly outgoing?: ServerResponse | undefined;
  /** Reads the body and sends the response in place of `Request` and `Response`. */
  readonly transport?: Transport | undefined;
};

/** A faster way than `Request` and `Response` to read the headers and the body of a request and to send its response. */
export interface Transport {
  /** Returns a header by its name in lower case. Without it, the headers of the Request are read. */
  header?(name: string): string | null;
  readBody(): Promise<Uint8Array>;
  send(response: HttpResponse): void;
}
