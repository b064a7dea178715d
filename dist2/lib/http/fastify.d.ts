import type { IncomingMessage, ServerResponse } from "node:http";
import { type FetchHandler } from "./node.ts";
/** The parts of Fastify 5 that the plugin uses. */
type FastifyRequest = {
    readonly raw: IncomingMessage;
    readonly ip: string;
};
type FastifyReply = {
    readonly raw: ServerResponse;
    code(status: number): FastifyReply;
    headers(values: Readonly<Record<string, string>>): FastifyReply;
    send(payload?: unknown): FastifyReply;
};
type Handler = (request: FastifyRequest, reply: FastifyReply) => void;
type FastifyInstance = {
    removeAllContentTypeParsers(): unknown;
    addContentTypeParser(type: string, parser: (request: FastifyRequest, payload: unknown, done: (error: null) => void) => void): unknown;
    setErrorHandler(handler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown): unknown;
    readonly supportedMethods: string[];
    route(options: {
        method: string[];
        url: string;
        handler: Handler;
    }): unknown;
};
/**
 * Returns a plugin for Fastify 5. Register it under any prefix. All hooks of the host run. The API reads the body
 * itself, so hooks find none.
 */
export declare function toFastifyPlugin(handler: FetchHandler): (app: FastifyInstance) => Promise<void>;
export {};
