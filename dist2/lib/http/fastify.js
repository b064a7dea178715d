import { toNodeListener } from "./node.js";
/**
 * Returns a plugin for Fastify 5. Register it under any prefix. All hooks of the host run. The API reads the body
 * itself, so hooks find none.
 */
export function toFastifyPlugin(handler) {
    const calls = new WeakMap();
    const fetch = (request, env) => {
        const call = env.incoming && calls.get(env.incoming);
        const transport = call &&
            env.transport && {
            readBody: env.transport.readBody,
            send: ({ status, headers, body }) => void call.reply
                .code(status)
                .headers(headers)
                .send(typeof body === "string" ? Buffer.from(body) : (body ?? undefined)),
        };
        return handler.fetch(request, { ...env, transport, hostRequest: call?.request, remoteAddress: call?.request.ip });
    };
    const listener = toNodeListener({ fetch });
    const handle = (request, reply) => {
        calls.set(request.raw, { request, reply });
        listener(request.raw, reply.raw);
    };
    return async (app) => {
        app.removeAllContentTypeParsers();
        // Leaves the body unread.
        app.addContentTypeParser("*", (_, __, done) => done(null));
        app.setErrorHandler((error, request, reply) => {
            // The API rejects the content type in the documented envelope, when its turn comes.
            if (error.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE")
                throw error;
            handle(request, reply);
            return reply;
        });
        // A Request can't have the method TRACE.
        const method = app.supportedMethods.filter((each) => each !== "TRACE");
        app.route({ method, url: "/integrations/*", handler: handle });
    };
}
