import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ApiError } from "../errors.ts";
import { errorAnswer, type HttpAnswer, requestIdOf } from "./answer.ts";
import { boundChunks } from "./chunks.ts";
import type { Api } from "./create-api.ts";
import { NodeAsked, sentHeaders } from "./node-asked.ts";
import { Outbox } from "./outbox.ts";

/** A request as Express and its like pass it on. */
export type MountedMessage = IncomingMessage & {
  /** What the client asked for, before the path that they mount at was cut off. */
  readonly originalUrl?: string | undefined;
  /** The client's address, also behind proxies that the host trusts. */
  readonly ip?: string | undefined;
};

/** The API as a listener for `node:http`, without a Request or Response between them. */
export function toNodeListener(api: Pick<Api, "answer" | "newRequestId">): RequestListener {
  const outbox = new Outbox();
  return (incoming: MountedMessage, outgoing: ServerResponse) => {
    const fault = framingFault(incoming);
    if (fault !== undefined) {
      const requestId = requestIdOf(incoming.headers["x-request-id"], api.newRequestId);
      outgoing.setHeader("Connection", "close");
      return write(errorAnswer(new ApiError("bad_request", fault), requestId), outgoing);
    }
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    const { ip = incoming.socket.remoteAddress } = incoming;
    boundChunks(incoming);
    void api.answer(new NodeAsked(incoming), { remoteAddress: ip, incoming }).then((answer) => {
      if (!incoming.complete) leave(incoming, outgoing);
      outbox.send(() => {
        try {
          write(answer, outgoing);
        } catch {
          // A host that has put something else in the place of the answer's methods; the next ones wait for their turn.
          outgoing.destroy();
        }
      });
    });
  };
}

function write({ status, headers, body }: HttpAnswer, outgoing: ServerResponse): void {
  // A host that has waited long enough may have answered meanwhile.
  if (outgoing.headersSent) return;
  if (body === null) return void outgoing.writeHead(status, headers).end();
  const length = Buffer.byteLength(body);
  // A text of ASCII alone goes out as it lies in memory; to look for what needs two bytes again costs a tenth of a page.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length }).end(body, encoding);
}

/**
 * How long the rest of a body that nobody waits for may take before the connection is given up. Many clients do not
 * look for an answer while they send.
 */
const restMs = 5_000;

/** The rest is taken off the line, so that the connection can carry the next request. */
function leave(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Before the answer is out, or node:http would drop the chunks before they are counted.
  incoming.resume();
  outgoing.once("finish", () => {
    if (incoming.complete || incoming.destroyed) return;
    const giveUp = setTimeout(() => incoming.socket.destroySoon(), restMs).unref();
    incoming.once("close", () => clearTimeout(giveUp)).once("end", () => clearTimeout(giveUp));
  });
}

/** What the parser lets through, and another server on the way may read otherwise: so requests are smuggled past it. */
function framingFault(incoming: IncomingMessage): string | undefined {
  const { headers, httpVersion } = incoming;
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "This server speaks HTTP/1.1 and HTTP/1.0.";
  if (coding !== undefined && httpVersion === "1.0") return "An HTTP/1.0 request has no Transfer-Encoding.";
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding takes chunked only.";
  const sent = sentHeaders(incoming);
  let hosts = 0;
  for (let at = 0; at < sent.length; at += 2) {
    const name = sent[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  const fits = httpVersion === "1.0" ? hosts < 2 : hosts === 1 && headers.host !== "";
  return fits ? undefined : "An HTTP/1.1 request has exactly one Host header.";
}
