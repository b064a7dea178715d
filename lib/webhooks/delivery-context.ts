import type { Clock } from "../auth/rate-limiter.ts";
import type { Event } from "../model/event.ts";
import type { RandomBytes } from "../model/uuid.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";
import type { Position } from "../storage/storage.ts";
import type { Sender } from "./send.ts";

/** Number of events per read, and the most that a delivery holds. */
export const readSize = 100;

/** Events after a position, and the time from which all events existed after the read. */
export type EventPage = { readonly events: readonly Event[]; readonly eventsFrom: number };

/** An attempt to deliver an event, for logs and metrics. */
export type AttemptSummary = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Time from the commit of the event to the end of the attempt. */
  readonly delayMs: number;
};

/** The state of one webhook. `lagMs` is the age of the oldest event that waits, 0 if there is none or it is paused. */
export type DeliveryStatus = { readonly state: keyof DeliveryCounts["webhooks"]; readonly lagMs: number };

/** The webhooks that a server delivers: their number by state, and the age of the oldest event that waits. */
export type DeliveryCounts = {
  readonly webhooks: Readonly<Record<"delivering" | "retrying" | "paused", number>>;
  readonly lagMs: number;
};

/** The dependencies of all deliveries. */
export type DeliveryContext = {
  readonly storage: CachedStorage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly sender: Sender;
  /** Name of this server in leases. */
  readonly owner: string;
  /** Number of attempts of one webhook at the same time. */
  readonly concurrency: number;
  /** Returns the events after a position, at most `readSize`. Deliveries at the same position share a read. */
  readonly readEvents: (tenantId: string, after: Position) => Promise<EventPage>;
  readonly onAttempt: (attempt: AttemptSummary) => void;
  readonly onPaused: (webhook: {
    readonly tenantId: string;
    readonly webhookId: string;
    readonly pausedReason: string;
  }) => void;
};
