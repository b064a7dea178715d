import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ApiError } from "../errors.ts";
import { bodyBytesMax } from "./body.ts";
import type { Api } from "./create-api.ts";
import { NodeAsked } from "./node-asked.ts";

/** What is used of Fastify 5. */
type FastifyRequest = {
  readonly raw: IncomingMessage;
  readonly url: string;
  readonly ip: string;
  readonly body?: unknown;
};
type FastifyReply = {
  code(status: number): FastifyReply;
  headers(values: Record<string, string>): FastifyReply;
  send(payload?: unknown): FastifyReply;
};
type FastifyInstance = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: (request: FastifyRequest, payload: Readable) => Promise<unknown>): unknown;
  setErrorHandler(handler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown): unknown;
  readonly supportedMethods: string[];
  route(options: {
    method: string[];
    url: string;
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  }): unknown;
};

/**
 * The API as a plugin of Fastify 5, under any prefix. The host's hooks run as they do for routes of its own; its
 * parsers, schemas and error handler do not see what is the API's to answer.
 */
export function toFastifyPlugin(api: Pick<Api, "fetch">): (app: FastifyInstance) => Promise<void> {
  const answer = async (request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> => {
    // Fastify leaves the body of a GET unread, and a Request cannot carry it.
    const unread = request.raw.method === "GET" ? new NodeAsked(request.raw).body : undefined;
    const transport = { remoteAddress: request.ip, incoming: request, body: unread };
    const response = await api.fetch(requestOf(request, body), transport);
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    return reply.send(response.body === null ? undefined : Buffer.from(await response.arrayBuffer()));
  };
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_, payload) => bytesOf(payload));
    app.setErrorHandler((error, request, reply) => {
      if ((error as { code?: unknown }).code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw error;
      // Whatever the body is, the API refuses it by the same header, when its turn comes.
      return answer(request, reply, Buffer.from("?"));
    });
    // A Request cannot be a TRACE.
    const method = app.supportedMethods.filter((each) => each !== "TRACE");
    app.route({ method, url: "/integrations/*", handler: (request, reply) => answer(request, reply, request.body) });
  };
}

/**
 * Of a body that is too large no more than the API needs to see that. The rest is let go by, so that the connection
 * can carry the answer and the next request.
 */
function bytesOf(payload: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer | string): void => {
      // A hook of the host's may have put a stream of text in the place of the bytes.
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      length += bytes.length;
      if (length <= bodyBytesMax) return;
      payload.off("data", take).resume();
      resolve(Buffer.concat(chunks));
    };
    payload.on("data", take);
    payload.once("end", () => resolve(Buffer.concat(chunks)));
    payload.once("error", (cause) => reject(new ApiError("bad_request", "The body ended early.", { cause })));
  });
}

/** The path is the one that Fastify found the route by, the headers are those that the client sent. */
function requestOf({ raw, url }: FastifyRequest, body: unknown): Request {
  const headers = new Headers();
  for (const [index, name] of raw.rawHeaders.entries()) {
    if (index % 2 === 0 && !name.startsWith(":")) headers.append(name, raw.rawHeaders[index + 1] ?? "");
  }
  const { method = "GET" } = raw;
  const content = body instanceof Uint8Array && body.length > 0 && method !== "GET" && method !== "HEAD";
  return new Request(`http://localhost${url}`, { method, headers, ...(content ? { body: Buffer.from(body) } : {}) });
}
