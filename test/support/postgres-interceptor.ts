import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";

/** Decides about an SQL text: calls `send` with no argument to send it, or with another text to replace it. */
export type Interceptor = (text: string, send: (other?: string) => Promise<unknown>) => Promise<unknown>;

/** Opens a storage that calls `onSend` with each SQL text before sending it. */
export function observedStorage(address: string, onSend: (text: string) => void): Promise<Storage> {
  return interceptedStorage(address, (text, send) => {
    onSend(text);
    return send();
  });
}

/** Opens a storage whose SQL texts all go through `interfere`. */
export async function interceptedStorage(
  address: string,
  interfere: Interceptor,
  more: pg.PoolConfig = {},
): Promise<Storage> {
  class InterceptedClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: passes on the arguments of five signatures.
    override query(...given: any[]): any {
      const [first, ...rest] = given as [string | { text: string }, ...unknown[]];
      const text = typeof first === "string" ? first : first.text;
      const send = (other?: string) => {
        const passed = other === undefined ? given : [other];
        return super.query(...(passed as Parameters<pg.Client["query"]>)) as unknown as Promise<unknown>;
      };
      // The pool sends single reads with a callback.
      if (typeof rest.at(-1) !== "function") return interfere(text, send);
      void interfere(text, async () => send());
      return undefined;
    }
  }
  const options = { connectionString: address, max: 4, allowExitOnIdle: true, ...more };
  return postgresStorage(new pg.Pool({ ...options, Client: InterceptedClient } as pg.PoolConfig));
}
