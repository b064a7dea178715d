import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestSource } from "../storage/request-log.ts";
import type { HttpResponse } from "./http-response.ts";

/** Data about a request that `Request` doesn't contain. The second parameter of `fetch`. */
export type RequestEnv = {
  /** The client address. Failed authentication is limited by it. The default is the address of the socket. */
  readonly remoteAddress?: string | undefined;
  /** The request object of the host's framework, for `authenticate`. */
  readonly hostRequest?: unknown;
  /** The Node request and response, set by @hono/node-server. */
  readonly incoming?: IncomingMessage | undefined;
  readonly outgoing?: ServerResponse | undefined;
  /** The part of the program that passes the request on, for the request log. The default is `http`. */
  readonly source?: RequestSource | undefined;
  /** Aborted when the server stops. Waits for records then end. */
  readonly stopping?: AbortSignal | undefined;
  /** Reads the body and sends the response in place of `Request` and `Response`. */
  readonly transport?: RawExchange | undefined;
};

/** Reads the headers and the body of a request and sends its response. It is faster than `Request` and `Response`. */
export interface RawExchange {
  /** The default reads the headers of the Request. */
  readonly header?: HeaderReader;
  /** The default of `maxBytes` is that of the API. @throws ApiError `413 bad_request` if the body is larger */
  readBody(maxBytes?: number): Promise<Uint8Array> | Uint8Array;
  send(response: HttpResponse): void;
}

/** Reads a request header by its name in lower case. */
export type HeaderReader = (name: string) => string | null;

/** Returns the reader of the transport, which is faster than the headers of the Request. */
export function headerReader({ headers }: Request, env?: RequestEnv): HeaderReader {
  return env?.transport?.header ?? ((name) => headers.get(name));
}

/** Returns the address of the client, or null if it is unknown. */
export function clientAddress({ remoteAddress, incoming }: RequestEnv): string | null {
  return remoteAddress ?? incoming?.socket?.remoteAddress ?? null;
}
