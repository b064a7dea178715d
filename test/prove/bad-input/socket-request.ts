/** The bytes that one connection sends, and the expected responses: `400 bad_request`, or only the status. */
export type SocketCase = readonly [name: string, sent: string, ...responses: string[]];

export const base = "/integrations/v1";
export const last = "Connection: close";
export const chunked = "Transfer-Encoding: chunked";
/** The body of a new task, 16 bytes long. */
export const body = '{"title":"Call"}';
export const chunks = `10\r\n${body}\r\n0\r\n\r\n`;
/** The response to requests that are rejected before the API handles them. */
export const bad = "400 bad_request";

/** Returns requests of a caller with this key. Each case adds the rest. */
export function requestsOf(key: string) {
  const credential = `x-api-key: ${key}`;
  const lines = (...head: string[]): string => `${head.join("\r\n")}\r\n\r\n`;
  const known = ["Host: a", credential];
  return {
    lines,
    credential,
    /** The last request of its connection, with these headers too. */
    get: (...more: string[]) => lines(`GET ${base}/me HTTP/1.1`, ...known, ...more, last),
    /** The same at this address, in this version. */
    at: (target: string, version = "HTTP/1.1") => lines(`GET ${target} ${version}`, ...known, last),
    /** The same request with another method, or with an invalid one. */
    by: (method: string) => lines(`${method} ${base}/me HTTP/1.1`, ...known, last),
    /** The same for these Hosts, or none. */
    host: (...hosts: string[]) =>
      lines(`GET ${base}/me HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), credential, last),
    /** A POST that leaves its connection open. */
    post: (content: string, ...more: string[]) =>
      lines(`POST ${base}/tasks HTTP/1.1`, ...known, "Content-Type: application/json", ...more) + content,
  };
}

export type Requests = ReturnType<typeof requestsOf>;
