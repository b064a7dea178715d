/** What one connection sends, and what it must get back: `400 bad_request`, or the status alone. */
export type SocketCase = readonly [name: string, sent: string, ...answers: string[]];

export const base = "/integrations/v1";
export const last = "Connection: close";
export const chunked = "Transfer-Encoding: chunked";
/** Makes a task, 16 bytes long. */
export const body = '{"title":"Call"}';
export const chunks = `10\r\n${body}\r\n0\r\n\r\n`;
/** What is refused before anything is asked of the API. */
export const bad = "400 bad_request";

/** The requests of a caller with this key; everything else of them is for each case to say. */
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
    /** The same with this method, or what stands in its place. */
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
