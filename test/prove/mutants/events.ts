// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const seenBy = ["events", "event-history", "followed-events"];

/** A log with every change, once and in order. */
export const events = [
  ...faults("lib/api/run-endpoint.ts", seenBy, [
    [
      "events in a second commit",
      "const logged = [...writes, ...events];",
      "const logged = writes; setImmediate(() => void context.storage.commit(caller.tenantId, now, (later) => eventsOf(writes, caller, null, later, now)).catch(() => {}));",
    ],
  ]),
  ...faults("lib/api/events.ts", "event-history", [
    [
      "an event without the time of the version before",
      'previousAt: write.op === "update" ? write.expectedUpdatedAt : null',
      'previousAt: write.op === "update" ? at : null',
    ],
    ["hidden fields in events", "hidden !== true", "hidden !== false", "event-values"],
  ]),
  ...faults("lib/api/event-feed.ts", "event-retention", [
    ["events of entities without a scope", "visible.has(kindOfEvent(each.type)) &&", "", seenBy],
    ["a position before deleted events is accepted", "start < from", "start < 0"],
    [
      "a watermark past a commit that has more events",
      "next?.updatedAt === time ? time : time + 1",
      "time + 1",
      ["events", "event-retention"],
    ],
    ["a quiet follower that expires", "next?.updatedAt === time ? time : time + 1", "time"],
  ]),
  ...faults("lib/storage/sqlite/event-statements.ts", "sqlite-storage", [
    [
      "a sweep that leaves events_from",
      "coalesce((SELECT max(updated_at) + 1 FROM (${oldTimesSql})), events_from)",
      "max(events_from, (SELECT max(updated_at) FROM (${oldTimesSql})))",
    ],
  ]),
  ...faults("lib/http/create-api.ts", "waiting", [
    ["a wait that misses commits", "waiting.notify(caller.tenantId);", ""],
  ]),
];
