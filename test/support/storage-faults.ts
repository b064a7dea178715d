import { type Query, type Storage, type Write, WriteConflict } from "../../lib/index.ts";
import { models } from "../../lib/model/kinds.ts";
import { toJsonText } from "../../lib/model/record-json.ts";

/** Returns methods that break one promise. They replace those of a correct storage. */
type Fault = (good: Storage) => Partial<Storage>;

const listing =
  (change: (query: Query) => Query): Fault =>
  (good) => ({ list: (tenant, kind, query) => good.list(tenant, kind, change(query)) });

/** Faulty storages that the contract tests must reject, by fault. */
export const faults: Readonly<Record<string, Fault>> = {
  "a list that includes the record of after": listing(({ after, ...query }) =>
    after === undefined ? query : { ...query, updatedSince: Math.max(after.updatedAt, query.updatedSince ?? 0) },
  ),
  "a list that excludes records with the time of updatedSince": listing(({ updatedSince, ...query }) =>
    updatedSince === undefined ? query : { ...query, updatedSince: updatedSince + 1 },
  ),
  "a list that is longer than its limit": listing(({ limit: _, ...query }) => query),
  "a list that always includes archived records": listing((query) => ({ ...query, includeArchived: true })),
  "a list that never includes archived records": listing((query) => ({ ...query, includeArchived: false })),
  "a list that ignores its filters": listing(({ where: _, ...query }) => query),
  "a count that ignores its filters": (good) => ({
    count: (tenant, kind, { where: _, ...query }, max) => good.count(tenant, kind, query, max),
  }),
  "a count that is never a minimum": (good) => ({
    count: async (...parameters) => ({ ...(await good.count(...parameters)), isMinimum: false }),
  }),
  "a list in the order of IDs": (good) => ({
    list: async (tenant, kind, query) =>
      (await good.list(tenant, kind, query)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }),
  "a read that returns the record of a concurrent read": (good) => {
    let concurrent: Promise<unknown> | undefined;
    return {
      get: async (tenant, kind, id) => {
        const other = concurrent;
        const own = good.get(tenant, kind, id);
        concurrent = own;
        const record = await own;
        if (concurrent === own) concurrent = undefined;
        return other === undefined ? record : ((await other) as typeof record);
      },
    };
  },
  "a read of JSON that returns archived records": (good) => ({
    getJson: async (tenant, kind, id) => {
      const record = await good.get(tenant, kind, id);
      return record && toJsonText(models[kind], record);
    },
  }),
  "a read of JSON that differs from the record": (good) => ({
    getJson: async (tenant, kind, id) => {
      const record = await good.get(tenant, kind, id);
      return record?.archivedAt === null ? JSON.stringify(record) : undefined;
    },
  }),
  "a list of JSON that differs from the list": (good) => ({
    listJson: async (tenant, kind, query) =>
      (await good.list(tenant, kind, query)).map((record) => JSON.stringify(record)),
  }),
  "a rejected commit that resolves": (good) => ({
    commit: (...commit) => good.commit(...commit).catch(() => {}),
  }),
  "a commit that wraps the error of the proposal": (good) => ({
    commit: (...commit) => good.commit(...commit).catch((cause) => Promise.reject(new Error("no", { cause }))),
  }),
  "a commit that stores its writes one by one": (good) => ({
    async commit(tenant, now, propose, conditions) {
      let writes: readonly Write[] = [];
      const proposeFirst = (at: number) => {
        writes = propose(at);
        return writes.slice(0, 1);
      };
      await good.commit(tenant, now, proposeFirst, conditions);
      for (const write of writes.slice(1)) {
        await good.commit(tenant, write.record.updatedAt, (at) => [
          { ...write, record: { ...write.record, updatedAt: at } } as Write,
        ]);
      }
    },
  }),
  "an update that ignores the expected version": (good) => ({
    async commit(tenant, now, propose, conditions) {
      let writes = propose(Math.max(now, 0));
      for (let attempt = 0; attempt < 9; attempt++) {
        const current = await Promise.all(writes.map(({ kind, record }) => good.get(tenant, kind, record.id)));
        try {
          const proposeAgain = (at: number) => {
            writes = propose(at);
            return writes.map((write, index) =>
              write.op === "insert"
                ? write
                : ({ ...write, expectedUpdatedAt: current[index]?.updatedAt ?? write.expectedUpdatedAt } as Write),
            );
          };
          return await good.commit(tenant, now, proposeAgain, conditions);
        } catch (error) {
          if (!(error instanceof WriteConflict) || error.reason !== "stale" || conditions !== undefined) throw error;
        }
      }
    },
  }),
  "a commit that ignores the settings version": (good) => ({
    commit: (tenant, now, propose, { none } = {}) => good.commit(tenant, now, propose, { none }),
  }),
  "a commit that ignores the records that it expects not to exist": (good) => ({
    commit: (tenant, now, propose, { settingsVersion } = {}) => good.commit(tenant, now, propose, { settingsVersion }),
  }),
  "a commit that checks its conditions in another transaction": (good) => ({
    async commit(tenant, now, propose, conditions) {
      const version = await good.settingsVersion(tenant);
      const { settingsVersion = version, none } = conditions ?? {};
      if (settingsVersion !== version) throw new WriteConflict("stale", "tenant", "settingsVersion", tenant);
      const [match] = none === undefined ? [] : await good.list(tenant, none.kind, { where: none.where });
      if (none !== undefined && match !== undefined) throw new WriteConflict("stale", none.kind, "id", match.id);
      return good.commit(tenant, now, propose);
    },
  }),
  "a conflict without the ID of the record": (good) => ({
    commit: (...commit) =>
      good.commit(...commit).catch((error) => {
        throw error instanceof WriteConflict ? new WriteConflict(error.reason, error.kind, error.field, "") : error;
      }),
  }),
  "a commit that becomes visible after a later one": (good) => {
    const hidden = new Set<string>();
    let count = 0;
    return {
      async commit(tenant, now, propose, conditions) {
        let ids: readonly string[] = [];
        const slow = count++ % 2 === 0;
        const proposeHidden = (at: number) => {
          const writes = propose(at);
          if (slow) ids = writes.map(({ record }) => record.id);
          for (const id of ids) hidden.add(id);
          return writes;
        };
        try {
          await good.commit(tenant, now, proposeHidden, conditions);
          for (let turn = 0; turn < ids.length * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        } finally {
          for (const id of ids) hidden.delete(id);
        }
      },
      list: async (tenant, kind, query) => (await good.list(tenant, kind, query)).filter(({ id }) => !hidden.has(id)),
    };
  },
  "a valid API key of an archived integration": (good) => {
    const known = new Map<string, Awaited<ReturnType<Storage["findApiKey"]>>>();
    return {
      async findApiKey(hash) {
        const found = await good.findApiKey(hash);
        if (found !== undefined) known.set(hash, found);
        return found ?? known.get(hash);
      },
    };
  },
  "active opportunities with the oldest first": (good) => ({
    async activeOpportunities(tenant, keys, limit) {
      const found = await good.activeOpportunities(tenant, keys, 50);
      return found.map((each) => ({ ...each, opportunities: each.opportunities.toReversed().slice(0, limit) }));
    },
  }),
  "a cursor secret that changes": () => ({
    cursorSecret: async () => crypto.getRandomValues(new Uint8Array(32)),
  }),
  "a short cursor secret": () => ({ cursorSecret: async () => new Uint8Array(16).fill(1) }),
  "a deletion of idempotency records that includes the given time": (good) => ({
    pruneIdempotencyRecords: (before) => good.pruneIdempotencyRecords(before + 1),
  }),
  "a deletion of all expired idempotency records at once": (good) => ({
    async pruneIdempotencyRecords(before) {
      let total = 0;
      for (let swept = -1; swept !== 0; total += swept) swept = await good.pruneIdempotencyRecords(before);
      return total;
    },
  }),
  "a storage that never closes": () => ({ close: async () => {} }),
};
