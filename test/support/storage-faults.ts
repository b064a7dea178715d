import { type Query, type Storage, type Write, WriteConflict } from "../../lib/index.ts";
import { models } from "../../lib/model/kinds.ts";
import { toJsonText } from "../../lib/model/record-json.ts";

/** A storage that breaks one promise: some of its methods, in place of those of a good one. */
type Fault = (good: Storage) => Partial<Storage>;

const listing =
  (change: (query: Query) => Query): Fault =>
  (good) => ({ list: (tenant, kind, query) => good.list(tenant, kind, change(query)) });

/** Storages that the suite must not let through, by what is wrong with them. */
export const faults: Readonly<Record<string, Fault>> = {
  "a list that begins at a place instead of after it": listing(({ after, ...query }) =>
    after === undefined ? query : { ...query, updatedSince: Math.max(after.updatedAt, query.updatedSince ?? 0) },
  ),
  "a list that leaves out what has the very time": listing(({ updatedSince, ...query }) =>
    updatedSince === undefined ? query : { ...query, updatedSince: updatedSince + 1 },
  ),
  "a list that is longer than its limit": listing(({ limit: _, ...query }) => query),
  "a list that shows what is archived": listing((query) => ({ ...query, includeArchived: true })),
  "a list that hides what is archived": listing((query) => ({ ...query, includeArchived: false })),
  "a list that forgets its filters": listing(({ where: _, ...query }) => query),
  "a list in the order of ids": (good) => ({
    list: async (tenant, kind, query) =>
      (await good.list(tenant, kind, query)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }),
  "a read that is answered with what was asked beside it": (good) => {
    let asked: Promise<unknown> | undefined;
    return {
      get: async (tenant, kind, id) => {
        const other = asked;
        const own = good.get(tenant, kind, id);
        asked = own;
        const answer = await own;
        if (asked === own) asked = undefined;
        return other === undefined ? answer : ((await other) as typeof answer);
      },
    };
  },
  "JSON of what is archived": (good) => ({
    getJson: async (tenant, kind, id) => {
      const record = await good.get(tenant, kind, id);
      return record && toJsonText(models[kind], record);
    },
  }),
  "JSON that is not that of the record": (good) => ({
    getJson: async (tenant, kind, id) => {
      const record = await good.get(tenant, kind, id);
      return record?.archivedAt === null ? JSON.stringify(record) : undefined;
    },
  }),
  "a list of JSON that is not that of the list": (good) => ({
    listJson: async (tenant, kind, query) =>
      (await good.list(tenant, kind, query)).map((record) => JSON.stringify(record)),
  }),
  "a commit that resolves though it was refused": (good) => ({
    commit: (tenant, now, propose) => good.commit(tenant, now, propose).catch(() => {}),
  }),
  "a commit that wraps what the proposal throws": (good) => ({
    commit: (tenant, now, propose) =>
      good.commit(tenant, now, propose).catch((cause) => Promise.reject(new Error("no", { cause }))),
  }),
  "a commit that keeps its writes one by one": (good) => ({
    async commit(tenant, now, propose) {
      let writes: readonly Write[] = [];
      await good.commit(tenant, now, (at) => {
        writes = propose(at);
        return writes.slice(0, 1);
      });
      for (const write of writes.slice(1)) {
        await good.commit(tenant, write.record.updatedAt, (at) => [
          { ...write, record: { ...write.record, updatedAt: at } } as Write,
        ]);
      }
    },
  }),
  "an update that does not ask for the version": (good) => ({
    async commit(tenant, now, propose) {
      let writes = propose(Math.max(now, 0));
      for (let attempt = 0; attempt < 9; attempt++) {
        const current = await Promise.all(writes.map(({ kind, record }) => good.get(tenant, kind, record.id)));
        try {
          return await good.commit(tenant, now, (at) => {
            writes = propose(at);
            return writes.map((write, index) =>
              write.op === "insert"
                ? write
                : ({ ...write, expectedUpdatedAt: current[index]?.updatedAt ?? write.expectedUpdatedAt } as Write),
            );
          });
        } catch (error) {
          if (!(error instanceof WriteConflict) || error.reason !== "stale") throw error;
        }
      }
    },
  }),
  "a conflict that names no record": (good) => ({
    commit: (tenant, now, propose) =>
      good.commit(tenant, now, propose).catch((error) => {
        throw error instanceof WriteConflict ? new WriteConflict(error.reason, error.kind, error.field, "") : error;
      }),
  }),
  "a commit that is seen after a later one": (good) => {
    const hidden = new Set<string>();
    let count = 0;
    return {
      async commit(tenant, now, propose) {
        let ids: readonly string[] = [];
        const slow = count++ % 2 === 0;
        try {
          await good.commit(tenant, now, (at) => {
            const writes = propose(at);
            if (slow) ids = writes.map(({ record }) => record.id);
            for (const id of ids) hidden.add(id);
            return writes;
          });
          for (let turn = 0; turn < ids.length * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        } finally {
          for (const id of ids) hidden.delete(id);
        }
      },
      list: async (tenant, kind, query) => (await good.list(tenant, kind, query)).filter(({ id }) => !hidden.has(id)),
    };
  },
  "a key that works though its integration is archived": (good) => {
    const known = new Map<string, Awaited<ReturnType<Storage["findApiKey"]>>>();
    return {
      async findApiKey(hash) {
        const found = await good.findApiKey(hash);
        if (found !== undefined) known.set(hash, found);
        return found ?? known.get(hash);
      },
    };
  },
  "opportunities with the oldest first": (good) => ({
    async activeOpportunities(tenant, keys, limit) {
      const found = await good.activeOpportunities(tenant, keys, 50);
      return found.map((each) => ({ ...each, opportunities: each.opportunities.toReversed().slice(0, limit) }));
    },
  }),
  "a secret that is another each time": () => ({
    cursorSecret: async () => crypto.getRandomValues(new Uint8Array(32)),
  }),
  "a short secret": () => ({ cursorSecret: async () => new Uint8Array(16).fill(1) }),
  "forgetting what has the very time": (good) => ({
    pruneIdempotencyRecords: (before) => good.pruneIdempotencyRecords(before + 1),
  }),
  "forgetting everything at once": (good) => ({
    async pruneIdempotencyRecords(before) {
      let total = 0;
      for (let swept = -1; swept !== 0; total += swept) swept = await good.pruneIdempotencyRecords(before);
      return total;
    },
  }),
  "a storage that never closes": () => ({ close: async () => {} }),
};
