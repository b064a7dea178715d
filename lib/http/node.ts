import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, type HttpAnswer } from "./answer.ts";
import type { Api } from "./create-api.ts";

/** Express and its like keep here what the client asked for, before they cut off the path they mount at. */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

/** The API as a listener for `node:http`. `globalThis.Request` and `Response` stay as they are. */
export function toNodeListener(api: Pick<Api, "fetch" | "newRequestId">): RequestListener {
  const refuse = (message: string): HttpAnswer => errorAnswer(new ApiError("bad_request", message), api.newRequestId());
  const listener = getRequestListener(
    (request, { incoming }) => api.fetch(request, { remoteAddress: incoming.socket.remoteAddress }),
    {
      overrideGlobalObjects: false,
      errorHandler() {
        const { body, ...init } = refuse("The request's address cannot be read.");
        return new Response(body, init);
      },
    },
  );
  return (incoming: MountedMessage, outgoing: ServerResponse) => {
    const hosts = incoming.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
    if (hosts.length !== 1 && incoming.httpVersion === "1.1") {
      const { status, headers, body } = refuse("An HTTP/1.1 request has exactly one Host header.");
      outgoing.writeHead(status, { ...headers, Connection: "close" }).end(body);
      return;
    }
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    listener(incoming, outgoing).catch(() => outgoing.destroy());
  };
}
