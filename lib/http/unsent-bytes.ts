import type { ServerResponse } from "node:http";
import type { Caller } from "../endpoint.ts";
import { Overloaded } from "./pending-work.ts";

/** Limits of the response bytes that clients have requested but not read. A page has at most 4 MiB. */
const maxBytesPerCaller = 32 * 1024 * 1024;
const maxBytes = 128 * 1024 * 1024;

/** Counts response bytes that wait in this process because their clients read slowly or not at all. */
export class UnsentBytes {
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  /** Rejects a request if its response could exhaust the memory. @throws Overloaded */
  assertRoom(caller: Caller): void {
    if (this.#total > maxBytes || (this.#byCaller.get(rateLimitKey(caller)) ?? 0) > maxBytesPerCaller)
      throw new Overloaded("Too many responses wait for their clients.");
  }

  /**
   * Counts bytes of a response until it is sent or aborted. The default is what the operating system didn't take of a
   * response that is already written.
   */
  track(caller: Caller | undefined, outgoing: ServerResponse, bytes = outgoing.socket?.writableLength ?? 0): void {
    if (bytes === 0) return;
    const key = caller === undefined ? "" : rateLimitKey(caller);
    this.#add(key, bytes);
    outgoing.once("close", () => this.#add(key, -bytes));
  }

  #add(key: string, bytes: number): void {
    this.#total += bytes;
    const sum = (this.#byCaller.get(key) ?? 0) + bytes;
    if (sum > 0) this.#byCaller.set(key, sum);
    else this.#byCaller.delete(key);
  }
}

/** Identifies whose requests are counted together. IDs are unique within a tenant only. */
export function rateLimitKey({ tenantId, keyId, userId }: Caller): string {
  return `${tenantId}:${keyId ?? `user:${userId}`}`;
}
