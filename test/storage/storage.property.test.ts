import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { baseFields, idOf, insertWrite, startTime } from "../../lib/storage/contract/records.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";
import { type Storage, type Write, WriteConflict } from "../../lib/storage/storage.ts";
import { seed } from "../support/seed.ts";
import {
  beginning,
  type Command,
  type Commit,
  command,
  kinds,
  openStage,
  recordId,
  recordOf,
} from "../support/storage.property.commands.ts";
import { freshStorage, testedStorage } from "../support/storages.ts";

/** Reads the current records first, so that concurrent commits can conflict. */
async function proposalOf(storage: Storage, { tenant, changes, throws }: Commit): Promise<(at: number) => Write[]> {
  const befores = await Promise.all(
    changes.map(({ kind, index }) => storage.get(idOf(tenant, 0), kind, recordId(kind, index))),
  );
  return (at) => {
    if (throws) throw new Error("rejected by the proposal");
    return changes.map((change, position): Write => {
      const before = befores[position];
      const made = { ...recordOf(change, at), updatedAt: at + Number(change.late) };
      if (change.op === "insert" || (before === undefined && !change.stale)) return insertWrite(change.kind, made);
      const expected = (before?.updatedAt ?? startTime) - Number(change.stale);
      const archived = { ...(before ?? made), updatedAt: made.updatedAt, archivedAt: at };
      const record = change.op === "archive" ? archived : { ...made, createdAt: before?.createdAt ?? at };
      return { op: "update", kind: change.kind, record, expectedUpdatedAt: expected } as unknown as Write;
    });
  };
}

/** Returns the conflict of a rejected commit, and the time of its last proposal if that has writes. */
async function outcomeOf(storage: Storage, tenant: number, now: number, propose: (at: number) => Write[]) {
  let last: number | undefined;
  try {
    await storage.commit(idOf(tenant, 0), startTime + now, (at) => {
      const writes = propose(at);
      last = writes.length > 0 ? at : undefined;
      return writes;
    });
    return { at: last };
  } catch (error) {
    if (!(error instanceof WriteConflict)) return { rejected: error instanceof TypeError ? "TypeError" : "yes" };
    const { reason, kind, field, id } = error;
    return { at: last, reason, kind, field, id };
  }
}

/** Runs one command. Returns everything that a client can observe. */
async function run(storage: Storage, command: Command): Promise<unknown> {
  if (command.do === "list") return listed(storage, command);
  if (command.do === "sweep") return storage.pruneIdempotencyRecords(startTime + command.before);
  if (command.do === "found") return found(storage, command.tenant, command.now, command.newest);
  const proposals = await Promise.all(command.commits.map((each) => proposalOf(storage, each)));
  return Promise.all(
    command.commits.map(({ tenant, now }, index) => outcomeOf(storage, tenant, now, proposals[index] ?? (() => []))),
  );
}

/** Returns the command with the commit times of a result. A storage may use any time that is later than the last. */
function atCommitTimes(command: Command, result: unknown): Command {
  if (command.do !== "commit") return command;
  const results = result as readonly { readonly at?: number }[];
  const commits = command.commits.map((commit, index) => {
    const at = results[index]?.at;
    assert.ok(at === undefined || at >= startTime + commit.now);
    return at === undefined ? commit : { ...commit, now: at - startTime };
  });
  return { ...command, commits };
}

async function listed(storage: Storage, command: Command & { do: "list" }): Promise<unknown> {
  const { tenant, kind, query, afterNumber } = command;
  const all = afterNumber === undefined ? [] : await storage.list(idOf(tenant, 0), kind, { includeArchived: true });
  const start = all[(afterNumber ?? 0) % all.length];
  const after = start && { after: { updatedAt: start.updatedAt, id: start.id } };
  return storage.list(idOf(tenant, 0), kind, { ...query, ...after });
}

/** Creates the tenant and a pipeline with one stage. The pipeline has a given update time. */
function found(storage: Storage, tenant: number, now: number, newest: number): Promise<unknown> {
  const { pipelineId, stageId } = openStage;
  const more = { name: "Sales", isDefault: true, lostReasons: [], requireLostReason: false };
  return outcomeOf(storage, tenant, now, () => [
    insertWrite("tenant", { name: "Tenant", ...baseFields(idOf(tenant, 0), startTime) }),
    insertWrite("pipeline", { ...more, ...baseFields(pipelineId, startTime + newest) }),
    insertWrite("stage", { pipelineId, name: "New", order: 1, probability: null, ...baseFields(stageId, startTime) }),
  ]);
}

/** The number of histories. Fewer for PostgreSQL, which takes longer to create a storage. */
const histories = testedStorage === "postgres" ? 60 : 300;

test(`${testedStorage} returns the same results as the model for every sequence of commands (FC_SEED=${seed})`, async () => {
  const history = fc.array(command, { minLength: 1, maxLength: 40, size: "max" });
  const property = fc.asyncProperty(history, async (history) => {
    const [tested, model] = [await freshStorage(), memoryStorage()];
    for (const command of [...beginning, ...history]) {
      const result = await run(tested, command);
      assert.deepEqual(result, await run(model, atCommitTimes(command, result)), JSON.stringify(command));
    }
    for (const tenant of [1, 2]) {
      for (const kind of ["tenant", "pipeline", "stage", ...kinds] as const) {
        const all = [tested, model].map((each) => each.list(idOf(tenant, 0), kind, { includeArchived: true }));
        assert.deepEqual(await all[0], await all[1], `${kind} of tenant ${tenant}`);
      }
    }
    await tested.close();
  });
  await fc.assert(property, { seed, numRuns: histories });
});
