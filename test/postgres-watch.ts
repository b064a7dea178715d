import pg from "pg";
import type { Storage } from "../lib/index.ts";
import { postgresStorage } from "../lib/postgres/index.ts";

/** A storage whose connections tell each text that they send to PostgreSQL: one text is one round trip. */
export async function watchedStorage(address: string, told: (text: string) => void): Promise<Storage> {
  class Watching extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: its five signatures are passed on as they are.
    override query(...given: any[]): any {
      const [first] = given as [string | { text: string }];
      told(typeof first === "string" ? first : first.text);
      return super.query(...(given as Parameters<pg.Client["query"]>));
    }
  }
  const options = { connectionString: address, max: 4, allowExitOnIdle: true };
  return postgresStorage(new pg.Pool({ ...options, Client: Watching } as pg.PoolConfig));
}
