import type { Pool, PoolClient } from "pg";

/**
 * Does this on one connection of the pool, for as long as it takes. What fails is rolled back; a connection that cannot
 * do even that is not used again.
 */
export async function withConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The pool listens to those that nobody uses. Without a listener here, a restart of PostgreSQL would end the program.
  const ignore = (): void => {};
  client.on("error", ignore);
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    isBroken = await client.query("ROLLBACK").then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.removeListener("error", ignore);
    client.release(isBroken);
  }
}
