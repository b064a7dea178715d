import { connect, type Socket } from "node:net";
import { request } from "./server.ts";

/** A client that requests pages and reads nothing, or some bytes per second. */
export type SlowClient = {
  readonly socket: Socket;
  /** Returns the beginning of the first response, if the client reads. */
  head(): string;
};

const everyMs = 1_000;
const bytesPerRead = 512;
const maxHeadLength = 2_048;

/** Opens a connection and requests the largest page `count` times. */
export function requestPages(url: string, key: string, count: number, reads: boolean): SlowClient {
  const { hostname, port } = new URL(url);
  const buffer = Buffer.alloc(bytesPerRead);
  let head = "";
  const callback = (length: number): boolean => {
    if (head.length < maxHeadLength) head += buffer.toString("latin1", 0, length);
    // Stops reading until the timer resumes it.
    return false;
  };
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
  socket.on("error", () => {});
  socket.write(request("GET", "/tasks?limit=200", [`x-api-key: ${key}`]).repeat(count));
  if (!reads) socket.pause();
  const timer = reads ? setInterval(() => socket.resume(), everyMs) : undefined;
  socket.once("close", () => clearInterval(timer));
  return { socket, head: () => head };
}
