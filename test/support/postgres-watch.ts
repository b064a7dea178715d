import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { postgresStorage } from "../../lib/storage/postgres/index.ts";

/** What becomes of a text that is to be sent: by itself, it is sent, or another in its place. */
export type Interfering = (text: string, send: (other?: string) => Promise<unknown>) => Promise<unknown>;

/** A storage whose connections tell each text that they send to PostgreSQL. */
export function watchedStorage(address: string, told: (text: string) => void): Promise<Storage> {
  return hinderedStorage(address, (text, send) => {
    told(text);
    return send();
  });
}

/** A storage between whose connections and PostgreSQL something stands. */
export async function hinderedStorage(
  address: string,
  interfere: Interfering,
  more: pg.PoolConfig = {},
): Promise<Storage> {
  class Hindered extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: its five signatures are passed on as they are.
    override query(...given: any[]): any {
      const [first, ...rest] = given as [string | { text: string }, ...unknown[]];
      const text = typeof first === "string" ? first : first.text;
      const send = (other?: string) => {
        const asked = other === undefined ? given : [other];
        return super.query(...(asked as Parameters<pg.Client["query"]>)) as unknown as Promise<unknown>;
      };
      // The pool's own way to ask, with a callback, is that of a single read.
      if (typeof rest.at(-1) !== "function") return interfere(text, send);
      void interfere(text, async () => send());
      return undefined;
    }
  }
  const options = { connectionString: address, max: 4, allowExitOnIdle: true, ...more };
  return postgresStorage(new pg.Pool({ ...options, Client: Hindered } as pg.PoolConfig));
}
