import { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
/** The open response and the last request of each connection. */
export type ConnectionState = {
    readonly openResponses: {
        get(socket: Duplex): ServerResponse | undefined;
    };
    readonly lastRequest: {
        get(socket: Duplex): IncomingMessage | undefined;
    };
};
/**
 * Sends the documented error envelope for requests that never reach the API.
 * @param extraHeaders headers to add to these responses
 */
export declare function handleConnectionErrors(server: Server, { openResponses, lastRequest }: ConnectionState, newRequestId: () => string, extraHeaders?: Readonly<Record<string, string>>): void;
