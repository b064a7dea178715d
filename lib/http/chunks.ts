import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../errors.ts";

/** A body may come in so many chunks, however short it is, */
const chunksOfAny = 2_000;
/** and in one more for each so many bytes of it. */
const bytesPerChunk = 64;

const overdone = new WeakSet<IncomingMessage>();

/**
 * Reads no more of a body once it came in too many chunks for its length: a byte in a chunk of its own costs the parser
 * as much as a kibibyte that comes whole. To be called before any of the body was taken.
 */
export function boundChunks(incoming: IncomingMessage): void {
  if (!("transfer-encoding" in incoming.headers)) return;
  const push = incoming.push;
  let [chunks, bytes] = [0, 0];
  let hearAgain = (): void => {};
  incoming.push = (chunk: Uint8Array | null) => {
    if (chunk === null) {
      hearAgain();
      return push.call(incoming, chunk);
    }
    if (overdone.has(incoming)) return false;
    chunks++;
    bytes += chunk.length;
    if (chunks <= chunksOfAny + bytes / bytesPerChunk) return push.call(incoming, chunk);
    overdone.add(incoming);
    incoming._read = () => {};
    hearAgain = deafen(incoming.socket);
    setImmediate(hearAgain);
    push.call(incoming, chunk);
    return false;
  };
}

/** @throws ApiError `413 bad_request` where no more of the body is read */
export function assertChunks(incoming: IncomingMessage): void {
  if (!overdone.has(incoming)) return;
  const allowed = `${chunksOfAny.toLocaleString("en")}, and one more for each ${bytesPerChunk} bytes`;
  const message = `The body comes in too many small chunks: allowed are ${allowed}. Send larger ones, or a Content-Length.`;
  throw new ApiError("bad_request", message, { status: 413 });
}

/**
 * Some ten thousand chunks more may have come with the one that was too many. The parser goes through them anyway, and
 * ten times as fast where nobody is told of them. By what name node:http is told is not documented: where it is not
 * found, it is told. Answers how to be told again.
 */
function deafen(socket: Socket & { readonly parser?: Record<string, unknown> }): () => void {
  const { parser = {} } = socket;
  const [name, told] = Object.entries(parser).find(([, called]) => isOnBody(called)) ?? [];
  if (name === undefined) return () => {};
  parser[name] = null;
  return () => {
    parser[name] = told;
  };
}

function isOnBody(called: unknown): boolean {
  return typeof called === "function" && called.name === "parserOnBody";
}
