import { hash } from "node:crypto";
import { ApiError } from "../errors.ts";
import { JsonFault, parseJsonObject } from "../input/json.ts";
import type { Asked } from "./asked.ts";

/** The largest body that is read, in bytes. */
export const bodyBytesMax = 1024 * 1024;
/** So much of a body is kept for anybody; for more, whoever sends it must be let in. */
const bodyBytesUnasked = 16 * 1024;

/**
 * The whole body, counted while it comes in, so that a length that is not announced is bounded too. Where `mayKeep`
 * says no, a long one is counted to its end and not kept, so that strangers cannot fill the memory.
 * @throws ApiError `413 bad_request`
 */
export async function readBody(
  asked: Pick<Asked, "header" | "body">,
  mayKeep: () => Promise<boolean>,
): Promise<Uint8Array> {
  const announced = Number(asked.header("content-length") ?? 0);
  if (announced > bodyBytesMax) throw tooLarge();
  const pieces = asked.body?.[Symbol.asyncIterator]();
  if (pieces === undefined) return new Uint8Array();
  let [kept, length, isKept] = [Buffer.alloc(0), 0, true];
  for (;;) {
    const { done, value } = await pieces.next().catch(endedEarly);
    if (done === true) return kept.subarray(0, length);
    const before = length;
    length += value.length;
    if (length > bodyBytesMax) {
      await pieces.return?.();
      throw tooLarge();
    }
    if (before <= bodyBytesUnasked && length > bodyBytesUnasked) isKept = await mayKeep();
    kept = isKept ? appended(kept, before, value) : Buffer.alloc(0);
  }
}

/** Chunks are not kept as they come: a body that comes byte by byte would take a hundred times its length. */
function appended(kept: Buffer<ArrayBuffer>, length: number, chunk: Uint8Array): Buffer<ArrayBuffer> {
  const needed = length + chunk.length;
  const roomy = needed <= kept.length ? kept : Buffer.alloc(Math.min(bodyBytesMax, Math.max(needed, 2 * kept.length)));
  if (roomy !== kept) kept.copy(roomy, 0, 0, length);
  roomy.set(chunk, length);
  return roomy;
}

/** The object in a body, or undefined where there is no body. @throws ApiError `400 bad_request`, `415 bad_request` */
export function parseBody(
  bytes: Uint8Array,
  asked: Pick<Asked, "header">,
): Readonly<Record<string, unknown>> | undefined {
  if (bytes.length === 0) return undefined;
  if (!isJson(asked.header("content-type") ?? "")) {
    throw new ApiError("bad_request", "Send the body as JSON, with Content-Type: application/json.", { status: 415 });
  }
  const encoding = asked.header("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("bad_request", "Send the body without Content-Encoding.", { status: 415 });
  }
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    throw error instanceof JsonFault ? new ApiError("bad_request", error.message) : error;
  }
}

/** The SHA-256 of a body as it came, and of the headers that `parseBody` reads it by. */
export function hashOfBody(bytes: Uint8Array, asked: Pick<Asked, "header">): string {
  const read = `${asked.header("content-type") ?? ""}\n${asked.header("content-encoding") ?? ""}\n`;
  return hash("sha256", Buffer.concat([Buffer.from(read), bytes]));
}

const jsonType = /^\s*application\/(?:[\w.-]+\+)?json\s*(?=;|$)/i;
const typeParameter = /;\s*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")\s*)?/y;

/** JSON of any sort. Its parameters mean nothing here, but for a charset that is not UTF-8. */
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

function endedEarly(cause: unknown): never {
  if (cause instanceof ApiError) throw cause;
  throw new ApiError("bad_request", "The body ended early.", { cause });
}

function tooLarge(): ApiError {
  return new ApiError("bad_request", "The body is larger than 1 MiB (1048576 bytes).", { status: 413 });
}
