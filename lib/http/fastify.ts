import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestEnv } from "./http-exchange.ts";
import { type FetchHandler, toNodeListener } from "./node.ts";
import { rootPath } from "./paths.ts";

/** The parts of Fastify 5 that the plugin uses. */
type FastifyRequest = { readonly raw: IncomingMessage; readonly ip: string };
type FastifyReply = {
  readonly raw: ServerResponse;
  code(status: number): FastifyReply;
  headers(values: Readonly<Record<string, string>>): FastifyReply;
  send(payload?: unknown): FastifyReply;
};
type Handler = (request: FastifyRequest, reply: FastifyReply) => void;
type FastifyInstance = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: FastifyRequest, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  setErrorHandler(handler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown): unknown;
  readonly supportedMethods: string[];
  route(options: { method: string[]; url: string; handler: Handler }): unknown;
};

/**
 * Returns a plugin for Fastify 5. Register it under any prefix. All hooks of the host run. The API reads the body
 * itself, so hooks find none.
 */
export function toFastifyPlugin(handler: FetchHandler): (app: FastifyInstance) => Promise<void> {
  const calls = new WeakMap<IncomingMessage, { readonly request: FastifyRequest; readonly reply: FastifyReply }>();
  const fetch = (request: Request, env: RequestEnv) => {
    const call = env.incoming && calls.get(env.incoming);
    const transport = call &&
      env.transport && {
        ...env.transport,
        send: ({ status, headers, body }: Parameters<typeof env.transport.send>[0]) =>
          void call.reply
            .code(status)
            .headers(headers)
            .send(typeof body === "string" ? Buffer.from(body) : (body ?? undefined)),
      };
    return handler.fetch(request, { ...env, transport, hostRequest: call?.request, remoteAddress: call?.request.ip });
  };
  const listener = toNodeListener({ fetch });
  const handle: Handler = (request, reply) => {
    calls.set(request.raw, { request, reply });
    listener(request.raw, reply.raw);
  };
  return async (app) => {
    app.removeAllContentTypeParsers();
    // Leaves the body unread.
    app.addContentTypeParser("*", (_, __, done) => done(null));
    app.setErrorHandler((error, request, reply) => {
      // Let the API reject the content type, so that the response has the documented envelope.
      if ((error as { code?: unknown }).code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw error;
      handle(request, reply);
      return reply;
    });
    // A Request can't have the method TRACE.
    const method = app.supportedMethods.filter((each) => each !== "TRACE");
    const { servedPath } = handler;
    const urls = servedPath === undefined ? [`${rootPath}/*`] : [servedPath, `${servedPath}/*`];
    for (const url of urls) app.route({ method, url, handler: handle });
  };
}
