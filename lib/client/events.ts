import { type Page, type Pages, pages, requestPage, type SyncOptions, sync, toPage } from "./collection.ts";
import { type CallOptions, pause, type SendRequest } from "./transport.ts";
import type { Event, EventQuery } from "./types.ts";

export type FollowOptions = Pick<SyncOptions<Event>, "since" | "checkpoints" | "name" | "onPage" | "onWatermark"> &
  Pick<EventQuery, "types" | "excludeOwn"> & {
    /** Ends the call. */
    readonly signal: AbortSignal;
    /** How long a request waits for events, 1 to 30. The default is 25. */
    readonly waitSeconds?: number;
  };

/** The log of what happened to the records that the API key may read. */
export type Events = {
  /** Returns the events in the order of their commits. */
  list(query?: EventQuery & CallOptions): Pages<Event>;
  /**
   * Reads every event since the watermark, then waits for more, until `signal` is aborted. Stores the watermark after
   * each page, as `sync` does. If the events at the watermark were deleted, throws a `CrmError` with the code
   * `invalid_cursor` and the reason `expired`: sync the records, then follow from its `details.eventsFrom`.
   */
  follow(options: FollowOptions): Promise<void>;
};

const path = "/events";
/** Pause after a response that came at once, because too many requests wait. */
const busyPauseMs = 5_000;

export function createEvents(send: SendRequest, wait: typeof pause = pause): Events {
  return {
    list: ({ signal, idempotencyKey: _, ...query } = {}) =>
      pages((cursor) => requestPage<Event>(send, path, { ...query, cursor }, signal ? { signal } : {})),
    async follow({ types, excludeOwn, signal, waitSeconds = 25, onPage, name = "events", ...options }) {
      let isBusy = false;
      const getPage = async (query: Record<string, unknown>): Promise<Page<Event>> => {
        const response = await send("GET", path, { query: query as Record<string, string>, signal, waitSeconds });
        const page = toPage<Event>(response);
        isBusy = page.data.length === 0 && !response.headers.has("preference-applied");
        return page;
      };
      const handle: FollowOptions["onPage"] = (events, page) =>
        events.length === 0 ? undefined : onPage(events, page);
      let { since } = options;
      try {
        while (!signal.aborted) {
          since = await sync({ ...options, name, since, signal, onPage: handle }, getPage, { types, excludeOwn });
          if (isBusy) await wait(busyPauseMs, signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}
