import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import { bodyBytesMax } from "./body.ts";
import type { Transport } from "./caller.ts";
import type { Api } from "./create-api.ts";

/** Express and its like keep here what the client asked for, before they cut off the path they mount at. */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

/** The API as a listener for `node:http`. `globalThis.Request` and `Response` stay as they are. */
export function toNodeListener(api: Pick<Api, "fetch" | "newRequestId">): RequestListener {
  const refuse = (message: string, incoming: IncomingMessage, outgoing: ServerResponse, more = {}): void => {
    const requestId = requestIdOf(incoming.headers["x-request-id"], api.newRequestId);
    const { status, headers, body } = errorAnswer(new ApiError("bad_request", message), requestId);
    outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body ?? ""), ...more }).end(body);
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
    const fault = framingFault(incoming);
    if (fault !== undefined) return refuse(fault, incoming, outgoing, { Connection: "close" });
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
