// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const seenBy = ["events", "event-history", "followed-events"];

/** A log with every change, once and in order. */
export const events = [
  fault(
    "events in a second commit",
    "lib/api/run-endpoint.ts",
    "const logged = [...writes, ...events];",
    "const logged = writes; setImmediate(() => void context.storage.commit(caller.tenantId, now, (later) => eventsOf(writes, caller, null, later, now)).catch(() => {}));",
    seenBy,
  ),
  fault(
    "an event without the time of the version before",
    "lib/api/events.ts",
    'previousAt: write.op === "update" ? write.expectedUpdatedAt : null',
    'previousAt: write.op === "update" ? at : null',
    ["event-history"],
  ),
  fault("hidden fields in events", "lib/api/events.ts", "hidden !== true", "hidden !== false", ["event-values"]),
  fault(
    "events of entities without a scope",
    "lib/api/event-feed.ts",
    "visible.has(kindOfEvent(each.type)) &&",
    "",
    seenBy,
  ),
  fault("a position before deleted events is accepted", "lib/api/event-feed.ts", "start < from", "start < 0", [
    "event-retention",
  ]),
  fault(
    "a watermark past a commit that has more events",
    "lib/api/event-feed.ts",
    "next?.updatedAt === time ? time : time + 1",
    "time + 1",
    ["events", "event-retention"],
  ),
  fault(
    "a quiet follower that expires",
    "lib/api/event-feed.ts",
    "next?.updatedAt === time ? time : time + 1",
    "time",
    ["event-retention"],
  ),
  fault(
    "a sweep that leaves events_from",
    "lib/storage/sqlite/event-statements.ts",
    "coalesce((SELECT max(updated_at) + 1 FROM (${oldTimesSql})), events_from)",
    "max(events_from, (SELECT max(updated_at) FROM (${oldTimesSql})))",
    ["sqlite-storage"],
  ),
  fault("a wait that misses commits", "lib/http/create-api.ts", "waiting.notify(caller.tenantId);", "", ["waiting"]),
];
