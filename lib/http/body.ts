import type { IncomingMessage } from "node:http";
import { ApiError } from "../model/errors.ts";
import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";
import type { HeaderReader } from "./http-exchange.ts";

/** Default maximum size of a request body in bytes. */
export const maxBodyBytes = 1024 * 1024;
/** Bytes of a rejected body that are discarded before it is canceled. */
const maxDiscardedBytes = 16 * maxBodyBytes;
/** Maximum number of chunks per body: this many, plus one per 64 bytes. The parser spends as much time on a one-byte chunk as on a kibibyte. */
const maxTinyChunks = 1_000;
const bytesPerChunk = 64;

/** Rejects a body whose declared length is too large, before anything else is checked. @throws ApiError `413 bad_request` */
export function assertDeclaredLength(contentLength: string | null | undefined, maxBytes = maxBodyBytes): void {
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Reads the body of a Request.
 * @throws ApiError `400 bad_request` if it ends early, `413 bad_request` if it is too large
 * @throws TypeError if the host has read it
 */
export async function readBody(request: Request, maxBytes = maxBodyBytes): Promise<Uint8Array> {
  if (request.bodyUsed) throw bodyAlreadyRead();
  const collector = new BodyCollector(maxBytes);
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(throwAborted)) ?? { done: true, value: undefined };
    if (done) return collector.bytes();
    try {
      collector.add(value);
    } catch (error) {
      if (reader !== undefined) void discardRest(reader);
      throw error;
    }
  }
}

/**
 * Discards the rest of a rejected body while the response is sent. Servers close the connection of a body that is
 * canceled or read in part, which can lose the response or the next request.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let discarded = 0; discarded < maxDiscardedBytes; ) {
      const { done, value } = await reader.read();
      if (done) return;
      discarded += value.length;
    }
    await reader.cancel();
  } catch {
    // The client has disconnected.
  }
}

/** Reads the body of a Node request, or takes it from `rawBody` if a middleware has stored it there. Throws as `readBody` does. */
export function readNodeBody(
  incoming: IncomingMessage & { readonly rawBody?: unknown },
  maxBytes = maxBodyBytes,
): Uint8Array | Promise<Uint8Array> {
  const { headers, rawBody } = incoming;
  if (rawBody instanceof Uint8Array) {
    if (rawBody.length > maxBytes) throw tooLarge(maxBytes);
    return rawBody;
  }
  const length = headers["content-length"] ?? ("transfer-encoding" in headers ? undefined : "0");
  if (length === "0") return new Uint8Array();
  if (incoming.readableDidRead) throw bodyAlreadyRead();
  // Usually the body arrives together with the headers. Reading it at once is faster than waiting for events.
  if (incoming.readableLength > 0 && incoming.readableLength === Number(length)) {
    const body = incoming.read();
    // Ends the stream, so that nothing waits for the rest of the body.
    incoming.resume();
    return body;
  }
  // A closed stream emits no further events.
  if (incoming.destroyed) throw aborted(incoming.errored);
  const collector = new BodyCollector(maxBytes);
  return new Promise((resolve, reject) => {
    let [chunks, received] = [0, 0];
    incoming.on("data", (chunk: Buffer) => {
      chunks++;
      received += chunk.length;
      try {
        collector.add(chunk);
        if (chunks > maxTinyChunks + received / bytesPerChunk) throw tooManyChunks();
      } catch (error) {
        // Stop reading. The rest is discarded after the response.
        incoming.removeAllListeners("data").pause();
        reject(error);
      }
    });
    incoming.once("end", () => resolve(collector.bytes()));
    for (const event of ["error", "close"])
      incoming.once(event, (cause) => reject(cause instanceof ApiError ? cause : aborted(cause)));
  });
}

class BodyCollector {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws ApiError `413 bad_request` */
  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) throw tooLarge(this.#maxBytes);
    // A chunk of one byte takes a hundred bytes of memory.
    if (this.#chunks.length > maxTinyChunks) this.#chunks = [this.bytes()];
  }

  bytes(): Uint8Array {
    const [first = new Uint8Array()] = this.#chunks;
    return this.#chunks.length < 2 ? first : Buffer.concat(this.#chunks, this.#length);
  }
}

/** Parses a JSON body. @throws ApiError `400 bad_request`, `415 bad_request` */
export function parseBody(bytes: Uint8Array, header: HeaderReader): Readonly<Record<string, unknown>> {
  if (!isJson(header("content-type") ?? ""))
    throw new ApiError("bad_request", "Send the body as JSON, with Content-Type: application/json.", { status: 415 });
  if ((header("content-encoding") ?? "identity").toLowerCase() !== "identity")
    throw new ApiError("bad_request", "Send the body without Content-Encoding.", { status: 415 });
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    throw error instanceof JsonParseError ? new ApiError("bad_request", error.message) : error;
  }
}

const jsonType = /^\s*application\/(?:merge-patch\+)?json\s*(?=;|$)/i;
const typeParameter = /;\s*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")\s*)?/y;

/** Accepts `application/json` and `application/merge-patch+json`. Parameters are ignored, except for a charset other than UTF-8. */
function isJson(type: string): boolean {
  let at = jsonType.exec(type)?.[0].length ?? -1;
  if (at < 0) return false;
  while (at < type.length) {
    typeParameter.lastIndex = at;
    const [whole, name, value] = typeParameter.exec(type) ?? [];
    if (whole === undefined) return false;
    if (name?.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value ?? "")) return false;
    at += whole.length;
  }
  return true;
}

function throwAborted(cause: unknown): never {
  throw cause instanceof ApiError ? cause : aborted(cause);
}

function aborted(cause: unknown): ApiError {
  return new ApiError("bad_request", "The body ended early.", { cause });
}

/** An error of the host. Treating the body as empty would change what the request does. */
function bodyAlreadyRead(): TypeError {
  return new TypeError("The request body was read before it reached the CRM. Pass the request on unread.");
}

function tooLarge(maxBytes: number): ApiError {
  const kib = maxBytes / 1024;
  const size = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
  return new ApiError("bad_request", `The body is larger than ${size} (${maxBytes} bytes).`, { status: 413 });
}

function tooManyChunks(): ApiError {
  const limit = `${maxTinyChunks.toLocaleString("en")} chunks, plus one per ${bytesPerChunk} bytes`;
  const message = `The body has too many small chunks. The limit is ${limit}. Send larger chunks, or a Content-Length.`;
  return new ApiError("bad_request", message, { status: 413, headers: { Connection: "close" } });
}
