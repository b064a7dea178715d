import type { WebhookState } from "../model/webhook.ts";
import { type Position, type Storage, WriteConflict } from "../storage/storage.ts";

/** The fields of a state that a delivery changes. */
export type Progress = Omit<
  WebhookState,
  "id" | "createdAt" | "updatedAt" | "archivedAt" | "leaseOwner" | "leaseUntil" | "skipped"
>;

type Clock = { now(): number; monotonic(): number };

/** The progress is stored at most once per this time, and at a stop. */
export const saveMs = 1_000;
/** The position of a webhook that wants none of the events is stored less often. */
export const idleSaveMs = 60_000;
/** Another server takes over the webhooks of a server that hasn't renewed its lease for this time. */
const takeoverMs = 25_000;
/** For so long after a commit, a server can begin attempts: each ends before another server takes over. */
const usableMs = 10_000;
/** Shown to other servers. They measure the time themselves, because their wall clocks can differ. */
const leaseMs = 30_000;
/** Time between two looks at the lease of another server. */
const lookMs = 5_000;

/** The stored state of one webhook and the lease of this server on it. */
export class StateStore {
  readonly #storage: Pick<Storage, "get" | "commit">;
  readonly #clock: Clock;
  readonly #tenantId: string;
  readonly #owner: string;
  #state: WebhookState;
  /** Monotonic time of the commit that took or renewed the lease. */
  #leasedAt: number | undefined;
  /** Monotonic time at which the lease of another server was first seen in its version. */
  #seenAt: number;

  constructor(
    storage: Pick<Storage, "get" | "commit">,
    clock: Clock,
    tenantId: string,
    owner: string,
    state: WebhookState,
  ) {
    this.#storage = storage;
    this.#clock = clock;
    this.#tenantId = tenantId;
    this.#owner = owner;
    this.#state = state;
    this.#seenAt = clock.monotonic();
  }

  get state(): WebhookState {
    return this.#state;
  }

  /** Whether an attempt can begin now. */
  get isLeased(): boolean {
    return this.#leasedAt !== undefined && this.#clock.monotonic() - this.#leasedAt < usableMs;
  }

  /** Monotonic time to look again at the lease of another server. Undefined if this server can take the lease now. */
  get takeoverAt(): number | undefined {
    const { leaseOwner } = this.#state;
    if (leaseOwner === null || leaseOwner === this.#owner) return undefined;
    const at = this.#seenAt + takeoverMs;
    const now = this.#clock.monotonic();
    return at <= now ? undefined : Math.min(at, now + lookMs);
  }

  /** Reads the state again. Returns whether another server or a request has changed it. */
  async reload(): Promise<boolean> {
    const found = await this.#storage.get(this.#tenantId, "webhookState", this.#state.id);
    if (found === undefined || found.updatedAt === this.#state.updatedAt) return false;
    this.#state = found;
    this.#leasedAt = undefined;
    this.#seenAt = this.#clock.monotonic();
    return true;
  }

  /**
   * Stores the progress, and takes, renews or releases the lease. Returns false if the state was changed since it was
   * read.
   */
  async save(progress: Progress, skipped: WebhookState["skipped"], isReleased = false): Promise<boolean> {
    const [before, started, now] = [this.#state, this.#clock.monotonic(), this.#clock.now()];
    const lease = isReleased ? [null, null] : [this.#owner, now + leaseMs];
    let after = before;
    try {
      await this.#storage.commit(this.#tenantId, now, (at) => {
        after = {
          ...before,
          ...progress,
          skipped,
          leaseOwner: lease[0],
          leaseUntil: lease[1],
          updatedAt: at,
        } as WebhookState;
        return [{ op: "update", kind: "webhookState", record: after, expectedUpdatedAt: before.updatedAt }];
      });
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      return false;
    }
    this.#state = after;
    this.#leasedAt = isReleased ? undefined : started;
    return true;
  }
}

/** Returns the position of a state in the event log. */
export function positionOf({ positionAt, positionId }: WebhookState): Position {
  return { updatedAt: positionAt, id: positionId ?? "" };
}

/** Returns the fields of a state that a delivery changes. */
export function progressOf(state: WebhookState): Progress {
  const { positionAt, positionId, failingSince, failures, rejections, nextAttemptAt } = state;
  const { lastAttempt, lastSuccessAt, pausedReason } = state;
  return {
    ...{ positionAt, positionId, failingSince, failures, rejections, nextAttemptAt, lastAttempt },
    ...{ lastSuccessAt, pausedReason },
  };
}
