import type { WebhookState } from "../model/webhook.ts";
import type { Position, TenantClock } from "../storage/storage.ts";
import { Delivery } from "./delivery.ts";
import { type DeliveryContext, type DeliveryCounts, type EventPage, readSize } from "./delivery-context.ts";

export type WorkerContext = Omit<DeliveryContext, "readEvents"> & {
  /** Logs an error of the storage. */
  readonly onError: (error: unknown) => void;
};

/** The interval of the timer, and how many of its ticks there are between two reads of the states of webhooks. */
const [tickMs, ticksPerRefresh] = [1_000, 10];
/** Commits in this time wake the webhooks of a tenant together. */
const wakeMs = 10;
/** Time until the next run of a webhook after an error of the storage. */
const errorPauseMs = 5_000;

/** A webhook that is delivered in its own loop, so that a slow receiver delays no other. */
class Loop {
  /** ID of the webhook. */
  readonly id: string;
  readonly delivery: Delivery;
  running: Promise<void> | undefined;
  isWoken = false;
  /** Monotonic time at which it runs again, after an error. */
  pausedUntil: number | undefined;

  constructor(id: string, delivery: Delivery) {
    this.id = id;
    this.delivery = delivery;
  }
}

type Tenant = {
  readonly loops: Map<string, Loop>;
  /** Shared reads of events by position, until the next commit. */
  readonly pages: Map<string, Promise<EventPage>>;
  /** A position that all its events were seen up to. */
  tail: Position | undefined;
  timer: NodeJS.Timeout | undefined;
  /** The clock of the tenant at the last look, and at the last read of the states. */
  seen: TenantClock | undefined;
  refreshedAt: number | undefined;
};

/** Delivers the events of all tenants to their webhooks. */
export class WebhookWorker {
  readonly #context: WorkerContext;
  readonly #tenants = new Map<string, Tenant>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #ticking: Promise<void> | undefined;
  #isStopping = false;

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  /** Starts the timer, which doesn't keep the process alive. */
  start(): void {
    const tick = (): void => {
      this.#ticking ??= this.#tick()
        .catch(this.#context.onError)
        .finally(() => {
          this.#ticking = undefined;
        });
    };
    this.#timer = setInterval(tick, tickMs).unref();
    tick();
  }

  /** Says that a commit of this process has written events of a tenant, or its webhooks. */
  wake(tenantId: string, changesWebhooks: boolean): void {
    if (this.#isStopping || this.#timer === undefined) return;
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined && !changesWebhooks) return;
    if (tenant?.timer !== undefined && !changesWebhooks) return;
    const run = async (): Promise<void> => {
      if (tenant !== undefined) tenant.timer = undefined;
      if (changesWebhooks) await this.#refresh(tenantId);
      this.#wakeTenant(tenantId);
    };
    const timer = setTimeout(() => void run().catch(this.#context.onError), wakeMs).unref();
    if (tenant !== undefined && !changesWebhooks) tenant.timer = timer;
  }

  /** Delivers until nothing is due, and stores the progress. For tests. */
  async deliverDue(): Promise<void> {
    for (const { tenantId } of await this.#readClocks()) await this.#refresh(tenantId);
    for (const tenantId of this.#tenants.keys()) this.#wakeTenant(tenantId);
    await Promise.all(this.#loops().map(({ running }) => running));
    await Promise.all(this.#loops().map(({ delivery }) => delivery.flush()));
  }

  /** Waits for the running attempts, then stores the progress and releases the leases. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    for (const { timer } of this.#tenants.values()) clearTimeout(timer);
    await this.#ticking;
    await Promise.all(this.#loops().map(({ running }) => running));
    await Promise.all(this.#loops().map(({ delivery }) => delivery.release().catch(this.#context.onError)));
  }

  /** The webhooks of all tenants, without those that another server delivers. */
  get counts(): DeliveryCounts {
    const found = this.#loops().flatMap(({ delivery }) => delivery.status ?? []);
    const count = (name: string): number => found.filter(({ state }) => state === name).length;
    const webhooks = { delivering: count("delivering"), retrying: count("retrying"), paused: count("paused") };
    return { webhooks, lagMs: found.reduce((most, { lagMs }) => Math.max(most, lagMs), 0) };
  }

  #loops(): readonly Loop[] {
    return [...this.#tenants.values()].flatMap(({ loops }) => [...loops.values()]);
  }

  /** Notices the commits of other servers, and runs what is due. */
  async #tick(): Promise<void> {
    const isRefresh = this.#ticks++ % ticksPerRefresh === 0;
    for (const clock of await this.#readClocks()) await this.#look(clock, isRefresh);
    const now = this.#context.clock.monotonic();
    for (const [tenantId, tenant] of this.#tenants)
      for (const loop of tenant.loops.values()) {
        const dueAt = loop.pausedUntil ?? loop.delivery.dueAt;
        if (dueAt !== undefined && dueAt <= now) this.#run(tenantId, loop);
      }
  }

  /** Returns the clocks of the tenants with webhooks, and forgets all other tenants. */
  async #readClocks(): Promise<readonly TenantClock[]> {
    const clocks = await this.#context.storage.webhookClocks();
    const ids = new Set(clocks.map(({ tenantId }) => tenantId));
    for (const id of this.#tenants.keys()) if (!ids.has(id)) this.#tenants.delete(id);
    return clocks;
  }

  /** Costs nothing unless the tenant has a commit since the last look. */
  async #look(clock: TenantClock, isRefresh: boolean): Promise<void> {
    const { tenantId, lastAt, settingsVersion } = clock;
    const known = this.#tenants.get(tenantId);
    const hasSettings = known?.seen?.settingsVersion !== settingsVersion;
    const isOutdated = hasSettings || (isRefresh && known.refreshedAt !== lastAt);
    if (isOutdated) await this.#refresh(tenantId);
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined) return;
    const hasCommit = tenant.seen?.lastAt !== lastAt;
    if (isOutdated) tenant.refreshedAt = lastAt;
    tenant.seen = clock;
    if (isOutdated || (hasCommit && (await this.#hasNewEvents(tenantId, tenant)))) this.#wakeTenant(tenantId);
  }

  async #hasNewEvents(tenantId: string, tenant: Tenant): Promise<boolean> {
    if (tenant.tail === undefined) return false;
    const events = await this.#context.storage.list(tenantId, "event", { after: tenant.tail, limit: readSize });
    const last = events.at(-1);
    if (last !== undefined) tenant.tail = { updatedAt: last.updatedAt, id: last.id };
    return last !== undefined;
  }

  /** Reads the webhooks of a tenant and their states. */
  async #refresh(tenantId: string): Promise<void> {
    const { storage } = this.#context;
    const webhooks = await storage.list(tenantId, "webhook", {});
    if (webhooks.length === 0) {
      this.#tenants.delete(tenantId);
      return;
    }
    const tenant: Tenant = this.#tenants.get(tenantId) ?? {
      ...{ loops: new Map(), pages: new Map() },
      ...{ tail: undefined, timer: undefined, seen: undefined, refreshedAt: undefined },
    };
    this.#tenants.set(tenantId, tenant);
    const states = new Map((await storage.list(tenantId, "webhookState", {})).map((state) => [state.id, state]));
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of tenant.loops.keys()) if (!ids.has(id)) tenant.loops.delete(id);
    for (const id of ids) this.#addLoop(tenantId, tenant, id, states.get(id));
  }

  #addLoop(tenantId: string, tenant: Tenant, id: string, state: WebhookState | undefined): void {
    if (state === undefined) return;
    const loop = tenant.loops.get(id);
    if (loop !== undefined) {
      loop.delivery.invalidate(state);
      return;
    }
    const readEvents = (_: string, after: Position) => this.#readEvents(tenantId, tenant, after);
    tenant.loops.set(id, new Loop(id, new Delivery({ ...this.#context, readEvents }, tenantId, state)));
    const { positionAt: updatedAt, positionId } = state;
    if (tenant.tail === undefined || tenant.tail.updatedAt < updatedAt)
      tenant.tail = { updatedAt, id: positionId ?? "" };
  }

  #readEvents(tenantId: string, { pages }: Tenant, after: Position): Promise<EventPage> {
    const name = `${after.updatedAt} ${after.id}`;
    const known = pages.get(name);
    if (known !== undefined) return known;
    const page = this.#readPage(tenantId, after);
    page.catch(() => pages.delete(name));
    pages.set(name, page);
    return page;
  }

  async #readPage(tenantId: string, after: Position): Promise<EventPage> {
    const { storage } = this.#context;
    const events = await storage.list(tenantId, "event", { after, limit: readSize });
    // After the events, so that a deletion during the read is noticed.
    return { events, eventsFrom: await storage.eventsFrom(tenantId) };
  }

  #wakeTenant(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined) return;
    tenant.pages.clear();
    for (const loop of tenant.loops.values()) if (loop.delivery.canRun) this.#run(tenantId, loop);
  }

  #run(tenantId: string, loop: Loop): void {
    loop.isWoken = true;
    if (loop.running !== undefined || this.#isStopping) return;
    if (this.#context.clock.monotonic() < (loop.pausedUntil ?? 0)) return;
    loop.pausedUntil = undefined;
    loop.running = this.#runLoop(tenantId, loop).finally(() => {
      loop.running = undefined;
    });
  }

  async #runLoop(tenantId: string, loop: Loop): Promise<void> {
    while (loop.isWoken && !this.#isStopping) {
      loop.isWoken = false;
      try {
        const isGone = (): boolean => this.#tenants.get(tenantId)?.loops.get(loop.id) !== loop;
        await loop.delivery.run(() => this.#isStopping || isGone());
      } catch (error) {
        this.#context.onError(error);
        loop.pausedUntil = this.#context.clock.monotonic() + errorPauseMs;
        return;
      }
    }
  }
}
