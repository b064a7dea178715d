import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";

type PendingRead = {
  readonly config: QueryConfig;
  readonly resolve: (answer: QueryResult) => void;
  readonly reject: (error: unknown) => void;
};

/** More reads than this do not share a connection: the last of them would wait for all others. */
const maxBatch = 32;

/**
 * Asks on connections of the pool. What is asked at once, as by one request, shares a connection and with it a round
 * trip; where the connection is not pipelined, each question takes one of its own.
 */
export function batchReads(pool: Pool): (config: QueryConfig) => Promise<QueryResult> {
  let open: PendingRead[] | undefined;
  return (config) =>
    new Promise((resolve, reject) => {
      const question = { config, resolve, reject };
      if (open !== undefined && open.length < maxBatch) return void open.push(question);
      const asked = [question];
      open = asked;
      queueMicrotask(() => {
        if (open === asked) open = undefined;
        void ask(pool, asked);
      });
    });
}

async function ask(pool: Pool, questions: readonly PendingRead[]): Promise<void> {
  const [first, ...others] = questions;
  if (first !== undefined && others.length === 0)
    return void pool.query(first.config).then(first.resolve, first.reject);
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { reject } of questions) reject(error);
    return;
  }
  const shared = client.pipeline === true ? questions : questions.slice(0, 1);
  for (const other of questions.slice(shared.length)) void ask(pool, [other]);
  // Without a listener, a connection that breaks would end the program.
  const ignore = (): void => {};
  client.on("error", ignore);
  const answers = await Promise.allSettled(shared.map(({ config }) => client.query(config)));
  client.removeListener("error", ignore);
  // One that has refused a read may go on refusing it, as after a change of the schema. It is free before anybody goes on.
  client.release(answers.some(({ status }) => status === "rejected"));
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled") shared[index]?.resolve(answer.value);
    else shared[index]?.reject(answer.reason);
  }
}
