import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { ApiError } from "../errors.ts";
import { errorAnswer, type HttpAnswer, requestIdOf } from "./answer.ts";
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
  const refuse = (message: string, { headers }: Partial<IncomingMessage> = {}): HttpAnswer => {
    return errorAnswer(new ApiError("bad_request", message), requestIdOf(headers?.["x-request-id"], api.newRequestId));
  };
  const listener = getRequestListener(
    (request, { incoming }) => {
      const { ip = incoming.socket.remoteAddress } = incoming as MountedMessage;
      return api.fetch(request, { remoteAddress: ip, incoming });
    },
    {
      overrideGlobalObjects: false,
      // HTTP/1.0 may leave the Host out.
      hostname: "localhost",
      errorHandler() {
        const { body, ...init } = refuse("The request's address cannot be read.");
        return new Response(body, init);
      },
    },
  );
  return (incoming: MountedMessage, outgoing: ServerResponse) => {
    if (!hasOneHost(incoming)) {
      const { status, headers, body } = refuse("An HTTP/1.1 request has exactly one Host header.", incoming);
      outgoing.writeHead(status, { ...headers, Connection: "close" }).end(body);
      return;
    }
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    listener(incoming, outgoing).catch(() => outgoing.destroy());
  };
}

/** Two hosts are how a request is smuggled past a gateway that reads the other one. */
function hasOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  return httpVersion === "1.0" ? hosts.length < 2 : hosts.length === 1 && headers.host !== "";
}
