import { ApiError } from "../errors.ts";
import { JsonFault, parseJsonObject } from "../input/json.ts";

/** The largest body that is read, in bytes. */
export const bodyBytesMax = 1024 * 1024;

/**
 * The whole body, counted while it comes in, so that a length that is not announced is bounded too. `other` reads what
 * the request itself cannot have.
 * @throws ApiError `413 bad_request`
 */
export async function readBody(request: Request, other?: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bodyBytesMax) throw tooLarge();
  if (other !== undefined) {
    const bytes = await other().catch(endedEarly);
    if (bytes.length > bodyBytesMax) throw tooLarge();
    return bytes;
  }
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(endedEarly);
    if (done) return Buffer.concat(chunks);
    length += value.length;
    if (length > bodyBytesMax) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
}

/** The object in a body, or undefined where there is no body. @throws ApiError `400 bad_request`, `415 bad_request` */
export function parseBody(bytes: Uint8Array, headers: Headers): Readonly<Record<string, unknown>> | undefined {
  if (bytes.length === 0) return undefined;
  if (!isJson(headers.get("content-type") ?? "")) {
    throw new ApiError("bad_request", "Send the body as JSON, with Content-Type: application/json.", { status: 415 });
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("bad_request", "Send the body without Content-Encoding.", { status: 415 });
  }
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    throw error instanceof JsonFault ? new ApiError("bad_request", error.message) : error;
  }
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
  throw new ApiError("bad_request", "The body ended early.", { cause });
}

function tooLarge(): ApiError {
  return new ApiError("bad_request", "The body is larger than 1 MiB (1048576 bytes).", { status: 413 });
}
