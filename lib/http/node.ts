import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import { bodyBytesMax } from "./body.ts";
import type { Api } from "./create-api.ts";
import type { Transport } from "./handler.ts";

/** Express and its like keep here what the client asked for, before they cut off the path they mount at. */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

/** The API as a listener for `node:http`. `globalThis.Request` and `Response` stay as they are. */
export function toNodeListener(api: Pick<Api, "fetch" | "newRequestId">): RequestListener {
  const refuse = (message: string, incoming: IncomingMessage, outgoing: ServerResponse, more = {}): void => {
    const requestId = requestIdOf(incoming.headers["x-request-id"], api.newRequestId);
    const { status, headers, body } = errorAnswer(new ApiError("bad_request", message), requestId);
    outgoing.writeHead(status, { ...headers, ...more }).end(body);
  };
  const listener = getRequestListener(
    (request, { incoming }) =>
      api.fetch(request, { remoteAddress: incoming.socket.remoteAddress, readBody: readerOfGet(incoming) }),
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
    if (!hasOneHost(incoming)) {
      const more = { Connection: "close" };
      return refuse("An HTTP/1.1 request has exactly one Host header.", incoming, outgoing, more);
    }
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    listener(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy();
      else refuse("The request's address cannot be read.", incoming, outgoing);
    });
  };
}

/** Reads what a GET carries, where it may carry something. More than is accepted is not kept, but taken off the line. */
function readerOfGet(incoming: Pick<IncomingMessage, "method" | "headers"> & Readable): Transport["readBody"] {
  const { method, headers } = incoming;
  if (method !== "GET" || !("content-length" in headers || "transfer-encoding" in headers)) return undefined;
  return () =>
    new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      incoming.on("data", (chunk: Uint8Array) => {
        if (length > bodyBytesMax) return;
        length += chunk.length;
        chunks.push(chunk);
        if (length > bodyBytesMax) resolve(Buffer.concat(chunks));
      });
      incoming.once("end", () => resolve(Buffer.concat(chunks)));
      incoming.once("error", reject);
    });
}

/** Two hosts are how a request is smuggled past a gateway that reads the other one. */
function hasOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  return httpVersion === "1.0" ? hosts.length < 2 : hosts.length === 1 && headers.host !== "";
}
