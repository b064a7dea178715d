import type { IncomingMessage } from "node:http";
import { type Address, type Asked, addressIn, readBefore, unreadable } from "./asked.ts";
import { assertChunks } from "./chunks.ts";

/** A message of node:http as the API looks at it, read as a Request made of it would be. */
export class NodeAsked implements Asked {
  readonly #incoming: IncomingMessage & { readonly rawBody?: unknown };

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get method(): string {
    return this.#incoming.method ?? "GET";
  }

  /** What a middleware before has kept of the body stands for it. */
  get body(): AsyncIterable<Uint8Array> | undefined {
    const { headers, rawBody, readableDidRead } = this.#incoming;
    if (rawBody instanceof Buffer) return once(rawBody);
    if (!("content-length" in headers || "transfer-encoding" in headers)) return undefined;
    if (readableDidRead && headers["content-length"] !== "0") throw readBefore();
    return leavable(this.#incoming);
  }

  address(): Address {
    const { url = "", headers } = this.#incoming;
    const host = headers.host || nobody;
    if (!isPlain(url) || !isKnownHost(host)) return addressIn(urlOf(host, url));
    const cut = url.indexOf("?");
    return cut < 0 ? { pathname: url, search: "" } : { pathname: url.slice(0, cut), search: url.slice(cut) };
  }

  header(name: string): string | null {
    const value = this.#incoming.headers[name];
    if (typeof value !== "string") return null;
    return firstCounts.has(name) ? allOf(sentHeaders(this.#incoming), name) : value;
  }

  request(): Request {
    const {
      url = "",
      headers: { host = nobody },
    } = this.#incoming;
    const headers = new Headers();
    const sent = sentHeaders(this.#incoming);
    for (let at = 0; at < sent.length; at += 2) headers.append(sent[at] ?? "", sent[at + 1] ?? "");
    return new Request(urlOf(host, url), { method: this.method, headers });
  }
}

/** Names and values as they came, by turns; where an adapter has made the message of something else, what it has of them. */
export function sentHeaders({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, "rawHeaders" | "headers">): readonly string[] {
  if (rawHeaders.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((each) => [name, each]));
}

/** HTTP/1.0 may leave the Host out. */
const nobody = "localhost";

/** Of these node:http keeps the first only; a credential that is sent twice must not pass for the first of them. */
const firstCounts = new Set(["authorization", "content-type"]);

function allOf(rawHeaders: readonly string[], name: string): string {
  let all: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [sent = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    if (sent.length === name.length && sent.toLowerCase() === name)
      all = all === undefined ? value : `${all}, ${value}`;
  }
  return all ?? "";
}

/** What stays as it is in a URL: no dot segments, nothing that would be encoded or read as something else. */
function isPlain(target: string): boolean {
  return /^\/[\w.~!$&()*+,;:@=/-]*(?:\?[\w.~!$&()*+,;:@=/?%-]*)?$/.test(target) && !target.includes("/.");
}

/** Hosts that were found to be ones. */
const hosts = new Set<string>();
/** Who sends another name each time does not fill the memory. */
const hostsMax = 1_000;

function isKnownHost(host: string): boolean {
  if (hosts.has(host)) return true;
  addressIn(urlOf(host, "/"));
  if (hosts.size >= hostsMax) hosts.clear();
  hosts.add(host);
  return true;
}

const simpleHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** @throws ApiError where there is no such address, or where it would be read as another than was sent */
function urlOf(host: string, target: string): string {
  if (target.split("?", 1)[0]?.includes("\\")) throw unreadable();
  if (/^https?:\/\//.test(target)) return target;
  const url = URL.parse(`http://${host}${target}`);
  if (url === null || !target.startsWith("/")) throw unreadable();
  const isSame = url.hostname.length === host.length || url.hostname === host.replace(/:\d+$/, "").toLowerCase();
  if (!isSame && !simpleHost.test(host)) throw unreadable();
  return url.href;
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Who leaves before the end leaves the rest to be taken off the line. */
async function* leavable(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A body that came together with the headers lies there by then: to wait for it as node's iterator does takes longer.
    await undefined;
    if (incoming.readableLength === Number(incoming.headers["content-length"])) {
      const whole = incoming.read() as Buffer | null;
      if (whole !== null) yield whole;
      return;
    }
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
      assertChunks(incoming);
      yield piece;
    }
  } finally {
    incoming.resume();
  }
}
