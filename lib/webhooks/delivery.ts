import { formatDateTime } from "../model/date-time.ts";
import type { Webhook, WebhookState } from "../model/webhook.ts";
import { type DeliveryContext, type DeliveryStatus, readSize } from "./delivery-context.ts";
import { EventWindow, type PendingEvent } from "./event-window.ts";
import { eventBody, isWanted, validSecrets } from "./message.ts";
import { afterFailure, afterSuccess, verdictOf } from "./retry.ts";
import type { Outcome } from "./send.ts";
import { idleSaveMs, type Progress, positionOf, progressOf, StateStore, saveMs } from "./state-store.ts";
import { findTarget, type Target } from "./target.ts";

const maxSkipped = 100;

type FailedAttempt = readonly [PendingEvent, Outcome];

/** The delivery of one webhook. */
export class Delivery {
  readonly #context: DeliveryContext;
  readonly #tenantId: string;
  readonly #store: StateStore;
  #progress: Progress;
  #window: EventWindow;
  #newlySkipped: WebhookState["skipped"] = [];
  #savedAt: number;
  /** Whether an attempt was made that isn't stored. */
  #isUnsaved = false;
  #isOutdated = true;
  /** Whether all events were read, so that the next read is for a later run. */
  #isAtEnd = false;
  /** Whether another server has the lease although events are waiting. */
  #isBlocked = false;
  #failed: FailedAttempt[] = [];

  constructor(context: DeliveryContext, tenantId: string, state: WebhookState) {
    this.#context = context;
    this.#tenantId = tenantId;
    this.#store = new StateStore(context.storage, context.clock, tenantId, context.owner, state);
    this.#progress = progressOf(state);
    this.#window = new EventWindow(positionOf(state));
    this.#savedAt = context.clock.monotonic();
  }

  /** Says which version of the state is stored. A request may have changed it. */
  invalidate({ updatedAt }: WebhookState): void {
    if (updatedAt !== this.#store.state.updatedAt) this.#isOutdated = true;
  }

  /** Monotonic time at which `run` has something to do, without new events. */
  get dueAt(): number | undefined {
    const [now, monotonic] = [this.#context.clock.now(), this.#context.clock.monotonic()];
    const { nextAttemptAt, pausedReason } = this.#progress;
    const takeoverAt = this.#isBlocked ? (this.#store.takeoverAt ?? monotonic) : undefined;
    const retryAt = nextAttemptAt === null || pausedReason !== null ? undefined : monotonic + nextAttemptAt - now;
    const saveAt = this.#isUnsaved ? saveMs : this.#isIdlyMoved() ? idleSaveMs : undefined;
    const times = [saveAt && this.#savedAt + saveAt, takeoverAt, retryAt].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Whether `run` can do more than wait for the next attempt or the end of a pause. */
  get canRun(): boolean {
    return this.#isOutdated || this.#store.takeoverAt !== undefined || !this.#isWaiting();
  }

  /**
   * The state of the webhook, and the age of the oldest event that waits. Undefined while another server delivers it.
   */
  get status(): DeliveryStatus | undefined {
    if (this.#store.takeoverAt !== undefined) return undefined;
    const { pausedReason, nextAttemptAt } = this.#progress;
    if (pausedReason !== null) return { state: "paused", lagMs: 0 };
    const state = nextAttemptAt === null ? "delivering" : "retrying";
    const waitsSince = this.#window.oldestAt ?? (state === "retrying" ? this.#window.position.updatedAt : undefined);
    return { state, lagMs: waitsSince === undefined ? 0 : Math.max(0, this.#context.clock.now() - waitsSince) };
  }

  /** Sends the events that are due. `isStopping` ends it after the running attempts. */
  async run(isStopping: () => boolean): Promise<void> {
    const running = new Set<Promise<void>>();
    [this.#isAtEnd, this.#isBlocked] = [false, false];
    try {
      const isOutdated = this.#isOutdated || this.#store.takeoverAt !== undefined;
      this.#isOutdated = false;
      if (isOutdated && (await this.#store.reload())) this.#startOver();
      while (!isStopping() && (await this.#startAttempts(running))) {
        if (this.#failed.length === 0) await Promise.race(running);
        if (this.#failed.length > 0) {
          await Promise.all(running);
          await this.#recordFailure(this.#failed.splice(0));
        } else if (this.#context.clock.monotonic() - this.#savedAt >= saveMs && !(await this.#save()))
          await Promise.all(running);
      }
      await Promise.all(running);
      await this.#recordFailure(this.#failed.splice(0));
      await this.#saveIfDue();
    } finally {
      await Promise.allSettled(running);
      this.#failed = [];
    }
  }

  /** Starts attempts. Returns whether some are running, or have just failed. */
  async #startAttempts(running: Set<Promise<void>>): Promise<boolean> {
    if (this.#isWaiting()) return running.size > 0;
    const target = await findTarget(this.#context.storage, this.#tenantId, this.#store.state.id);
    if (target === undefined) return running.size > 0;
    await this.#fill(target);
    if (this.#isWaiting()) return running.size > 0;
    const limit = this.#progress.failures > 0 ? 1 : this.#context.concurrency;
    const count = this.#window.sendable(limit - running.size).length;
    if (count > 0 && !this.#store.isLeased && (running.size > 0 || !(await this.#lease()))) {
      this.#isBlocked = running.size === 0;
      return running.size > 0;
    }
    // The next attempt after a failure has to wait.
    if (this.#failed.length > 0) return true;
    for (const each of this.#window.sendable(limit - running.size)) {
      const attempt: Promise<void> = this.#attempt(target.webhook, each).finally(() => running.delete(attempt));
      attempt.catch(() => {});
      running.add(attempt);
    }
    return running.size > 0;
  }

  /** Whether the webhook is paused or waits for its next attempt. */
  #isWaiting(): boolean {
    const { pausedReason, nextAttemptAt } = this.#progress;
    return pausedReason !== null || (nextAttemptAt ?? 0) > this.#context.clock.now();
  }

  /** Stores the progress and releases the lease. */
  async release(): Promise<void> {
    const isOwner = this.#store.state.leaseOwner === this.#context.owner;
    if (this.#isUnsaved || isOwner) await this.#save(true);
  }

  /** Stores what was delivered, even if it was stored less than a second ago. */
  async flush(): Promise<void> {
    if (this.#isUnsaved) await this.#save();
  }

  /** Continues from the stored state. */
  #startOver(): void {
    this.#progress = progressOf(this.#store.state);
    this.#window = new EventWindow(positionOf(this.#store.state));
    [this.#newlySkipped, this.#failed] = [[], []];
    this.#isUnsaved = false;
  }

  /** Reads events until some are waiting, or all were read. */
  async #fill({ webhook, integration }: Target): Promise<void> {
    while (!this.#isAtEnd && this.#window.size < readSize / 2) {
      const { position, readTo } = this.#window;
      const { events, eventsFrom } = await this.#context.readEvents(this.#tenantId, readTo);
      if (position.updatedAt < eventsFrom) return this.#expire(position.updatedAt, eventsFrom);
      this.#window.add(events, (each) => isWanted(each, webhook, integration));
      this.#isAtEnd = events.length < readSize;
    }
    if (this.#isAtEnd) this.#window.reachEnd();
  }

  async #attempt({ url, ...webhook }: Webhook, pending: PendingEvent): Promise<void> {
    const { clock, sender, storage, onAttempt } = this.#context;
    pending.state = "sending";
    const [{ event }, window] = [pending, this.#window];
    const body = await eventBody(storage, this.#tenantId, event).catch((error: unknown) => {
      pending.state = "waiting";
      throw error;
    });
    const secrets = validSecrets({ url, ...webhook }, clock.now());
    const outcome = await sender.send({ url, id: event.id, body, secrets });
    const { status, error, durationMs } = outcome;
    const [at, attempt] = [clock.now(), { eventId: event.id, status, error, durationMs }];
    const delayMs = Math.max(0, at - event.updatedAt);
    onAttempt({ tenantId: this.#tenantId, webhookId: webhook.id, ...attempt, delayMs });
    // Another server or a request changed the state during the attempt, so the event is sent again if it still waits.
    if (window !== this.#window) return;
    this.#isUnsaved = true;
    this.#progress = { ...this.#progress, lastAttempt: { at, ...attempt } };
    if (verdictOf(status) !== "success") {
      pending.state = "waiting";
      this.#failed.push([pending, outcome]);
      return;
    }
    this.#progress = afterSuccess(this.#progress, at);
    this.#window.settle(pending);
    if (this.#isAtEnd) this.#window.reachEnd();
  }

  /** Plans the next attempt after the first event that failed, skips it, or pauses the webhook. */
  async #recordFailure(failed: readonly FailedAttempt[]): Promise<void> {
    const now = this.#context.clock.now();
    const [[pending, outcome] = []] = failed.toSorted(([a], [b]) => (a.event.id < b.event.id ? -1 : 1));
    if (pending === undefined || outcome === undefined) return;
    const { id: eventId, type, recordId } = pending.event;
    const { progress, isSkipped } = afterFailure(this.#progress, eventId, outcome, now, this.#context.random);
    this.#progress = progress;
    if (isSkipped) {
      this.#newlySkipped.push({ eventId, type, recordId, at: now, status: outcome.status ?? 0 });
      this.#window.settle(pending);
    }
    await this.#saveAndReport();
  }

  /** Pauses the webhook, because events after its position were deleted. */
  async #expire(position: number, from: number): Promise<void> {
    const error = `The events from ${formatDateTime(position)} to ${formatDateTime(from)} were deleted before they were sent.`;
    const lastAttempt = { at: this.#context.clock.now(), eventId: null, status: null, error, durationMs: 0 };
    this.#progress = { ...this.#progress, lastAttempt, pausedReason: "expired", nextAttemptAt: null };
    await this.#saveAndReport();
  }

  async #saveAndReport(): Promise<void> {
    const { pausedReason } = this.#progress;
    if ((await this.#save()) && pausedReason !== null)
      this.#context.onPaused({ tenantId: this.#tenantId, webhookId: this.#store.state.id, pausedReason });
  }

  async #lease(): Promise<boolean> {
    return this.#store.takeoverAt === undefined && (await this.#save());
  }

  async #saveIfDue(): Promise<void> {
    const age = this.#context.clock.monotonic() - this.#savedAt;
    if ((this.#isIdlyMoved() && age >= idleSaveMs) || (this.#isUnsaved && age >= saveMs)) await this.#save();
  }

  /** Whether the position moved over events that the webhook doesn't want, and this server may store it. */
  #isIdlyMoved(): boolean {
    const isMoved = this.#window.position.updatedAt !== this.#progress.positionAt;
    return isMoved && this.#progress.pausedReason === null && this.#store.takeoverAt === undefined;
  }

  /** Stores the progress. If a request or another server changed the state since, continues from that state. */
  async #save(isReleased = false): Promise<boolean> {
    const { updatedAt: positionAt, id } = this.#window.position;
    const [before, position] = [this.#progress, { positionAt, positionId: id === "" ? null : id }];
    const skipped = [...this.#store.state.skipped, ...this.#newlySkipped].slice(-maxSkipped);
    this.#savedAt = this.#context.clock.monotonic();
    if (!(await this.#store.save({ ...before, ...position }, skipped, isReleased))) {
      await this.#store.reload();
      this.#startOver();
      return false;
    }
    // Attempts that ended during the save are stored the next time.
    this.#isUnsaved = this.#progress !== before;
    this.#progress = { ...this.#progress, ...position };
    this.#newlySkipped = [];
    return true;
  }
}
