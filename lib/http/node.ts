import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import type { Transport } from "./caller.ts";
import type { Api } from "./create-api.ts";

/** A request as Express and its like pass it on. */
export type MountedMessage = IncomingMessage & {
  /** What the client asked for, before the path that they mount at was cut off. */
  readonly originalUrl?: string | undefined;
  /** The client's address, also behind proxies that the host trusts. */
  readonly ip?: string | undefined;
};

/** The API as a listener for `node:http`. `globalThis.Request` and `Response` stay as they are. */
export function toNodeListener(api: Pick<Api, "fetch" | "newRequestId">): RequestListener {
  const refuse = (message: string, incoming: IncomingMessage, outgoing: ServerResponse, more = {}): void => {
    const requestId = requestIdOf(incoming.headers["x-request-id"], api.newRequestId);
    const { status, headers, body } = errorAnswer(new ApiError("bad_request", message), requestId);
    outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body ?? ""), ...more }).end(body);
  };
  const listener = getRequestListener(
    (request, { incoming }) => {
      const { ip = incoming.socket.remoteAddress } = incoming as MountedMessage;
      return api.fetch(request, { remoteAddress: ip, incoming, body: bodyOfGet(incoming) });
    },
    {
      overrideGlobalObjects: false,
      // HTTP/1.0 may leave the Host out.
      hostname: "localhost",
      // The address cannot be read: the API itself never rejects. Below, where the request is at hand, it is answered.
      errorHandler(error) {
        throw error;
      },
    },
  );
  return (incoming: MountedMessage, outgoing: ServerResponse) => {
    const fault = framingFault(incoming);
    if (fault !== undefined) return refuse(fault, incoming, outgoing, { Connection: "close" });
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    listener(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy();
      else refuse("The request's address cannot be read.", incoming, outgoing);
    });
  };
}

/** What a GET carries, where it may carry something. */
function bodyOfGet(incoming: Pick<IncomingMessage, "method" | "headers"> & Readable): Transport["body"] {
  const { method, headers } = incoming;
  if (method !== "GET" || !("content-length" in headers || "transfer-encoding" in headers)) return undefined;
  return leavable(incoming);
}

/** Who leaves before the end leaves the rest to be taken off the line. */
async function* leavable(incoming: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false });
  } finally {
    incoming.resume();
  }
}

/** What the parser lets through, and another server on the way may read otherwise: so requests are smuggled past it. */
function framingFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "This server speaks HTTP/1.1 and HTTP/1.0.";
  if (coding !== undefined && httpVersion === "1.0") return "An HTTP/1.0 request has no Transfer-Encoding.";
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding takes chunked only.";
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
  const fits = httpVersion === "1.0" ? hosts < 2 : hosts === 1 && headers.host !== "";
  return fits ? undefined : "An HTTP/1.1 request has exactly one Host header.";
}
