import type { SharedContext } from "../api/endpoint.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import { hasEvents } from "../model/event.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";
import type { Write } from "../storage/storage.ts";
import { parseAllowedTargets } from "../webhooks/addresses.ts";
import type { AttemptSummary, DeliveryCounts } from "../webhooks/delivery-context.ts";
import { createSender, type Sender, type WebhookFetch } from "../webhooks/send.ts";
import { WebhookWorker } from "../webhooks/worker.ts";

/** How webhook messages are sent: by `deliverWebhooks`, and by the endpoints that send single ones. */
export type WebhookOptions = {
  /**
   * Networks and hosts that webhooks can use although they aren't public, such as `10.20.0.0/16` or
   * `automation.internal:8443`. They can also use http.
   */
  readonly allow?: readonly string[];
  /** Sends the messages in place of the library, such as through a proxy. Then the library checks no addresses. */
  readonly fetch?: WebhookFetch;
  /** The default is `crm-integrations`. */
  readonly userAgent?: string;
};

export type WebhookDeliveryOptions = {
  /** Whether to deliver only in `deliver()`, such as in a job that runs at intervals. The default is false. */
  readonly isManual?: boolean;
  /** Number of messages of one webhook at the same time. The default is 4. */
  readonly concurrency?: number;
  /**
   * Name of this server, different from that of all other servers of the database. A restarted server with the same name
   * continues at once; otherwise it waits up to 30 seconds for its former leases. The default is random.
   */
  readonly owner?: string;
  /** Called after each attempt. */
  readonly onAttempt?: (attempt: AttemptSummary) => void;
  /** Called if the server pauses a webhook. */
  readonly onPaused?: (webhook: {
    readonly tenantId: string;
    readonly webhookId: string;
    readonly pausedReason: string;
  }) => void;
};

/** A delivery. `deliver` sends all messages that are due, and `stop` waits for the running ones. */
export type RunningDelivery = { deliver(): Promise<void>; stop(): Promise<void> };

const defaultConcurrency = 4;

/** Creates the sender of an API. @throws TypeError if an entry of `allow` is invalid */
export function webhookSender(
  { allow, fetch, userAgent = "crm-integrations" }: WebhookOptions = {},
  clock: Clock,
): Sender {
  return createSender({ allowed: parseAllowedTargets(allow), fetch, userAgent, clock });
}

type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Starts and stops the delivery of an API, and wakes it after commits. */
export class WebhookDelivery {
  readonly #context: SharedContext;
  readonly #storage: CachedStorage;
  readonly #log: Log;
  readonly #workers = new Set<WebhookWorker>();
  #started: WebhookWorker | undefined;

  constructor(storage: CachedStorage, context: SharedContext, log: Log) {
    this.#storage = storage;
    this.#context = context;
    this.#log = log;
  }

  /** @throws Error if a delivery that isn't manual is running */
  start({ isManual = false, ...options }: WebhookDeliveryOptions = {}): RunningDelivery {
    if (!isManual && this.#started !== undefined) throw new Error("deliverWebhooks is already running.");
    const worker = this.#createWorker(options);
    this.#workers.add(worker);
    if (!isManual) {
      this.#started = worker;
      worker.start();
    }
    return { deliver: () => worker.deliverDue(), stop: () => this.#stop(worker) };
  }

  /** Counts the webhooks. Undefined without a delivery. */
  get counts(): DeliveryCounts | undefined {
    const [worker] = this.#workers;
    return worker?.counts;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#stop(worker)));
  }

  async #stop(worker: WebhookWorker): Promise<void> {
    if (this.#started === worker) this.#started = undefined;
    this.#workers.delete(worker);
    await worker.stop();
  }

  #createWorker(options: WebhookDeliveryOptions): WebhookWorker {
    const { clock, random, newId, webhooks: sender } = this.#context;
    const { concurrency = defaultConcurrency, owner = newId(), onAttempt, onPaused } = options;
    return new WebhookWorker({
      ...{ storage: this.#storage, clock, random, sender, owner, concurrency },
      onAttempt: (attempt) => this.#callHost(() => onAttempt?.(attempt)),
      onPaused: (webhook) => {
        this.#log(webhook, "webhook paused");
        this.#callHost(() => onPaused?.(webhook));
      },
      onError: (err) => this.#log({ err }, "delivering webhooks failed"),
    });
  }

  onCommitted(tenantId: string, writes: readonly Write[]): void {
    const changesWebhooks = writes.some(({ kind }) => kind === "webhook" || kind === "webhookState");
    if (changesWebhooks || writes.some(({ kind }) => hasEvents(kind))) this.#started?.wake(tenantId, changesWebhooks);
  }

  #callHost(call: () => void): void {
    try {
      call();
    } catch (err) {
      this.#log({ err }, "a hook of deliverWebhooks failed");
    }
  }
}
