import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, requestIdOf } from "./answer.ts";
import type { Api } from "./create-api.ts";

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
    (request, { incoming }) => api.fetch(request, { remoteAddress: incoming.socket.remoteAddress }),
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

/** Two hosts are how a request is smuggled past a gateway that reads the other one. */
function hasOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  return httpVersion === "1.0" ? hosts.length < 2 : hosts.length === 1 && headers.host !== "";
}
