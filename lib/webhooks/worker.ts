import type { Event } from "../model/event.ts";
import type { WebhookState } from "../model/webhook.ts";
import type { Position } from "../storage/storage.ts";
import { Delivery } from "./delivery.ts";
import { type DeliveryContext, readSize } from "./delivery-context.ts";

export type WorkerContext = Omit<DeliveryContext, "readEvents"> & {
  /** Logs an error of the storage. */
  readonly onError: (error: unknown) => void;
};

/** The interval of the timer, and how many of its ticks there are between two looks for new webhooks. */
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
  /** Monotonic time before which it doesn't run, after an error. */
  pausedUntil = 0;

  constructor(id: string, delivery: Delivery) {
    this.id = id;
    this.delivery = delivery;
  }
}

type Tenant = {
  readonly loops: Map<string, Loop>;
  /** Shared reads of events by position, until the next commit. */
  readonly pages: Map<string, Promise<readonly Event[]>>;
  /** A position that all its events were seen up to. */
  tail: Position | undefined;
  timer: NodeJS.Timeout | undefined;
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
    await this.#refreshAll();
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

  #loops(): readonly Loop[] {
    return [...this.#tenants.values()].flatMap(({ loops }) => [...loops.values()]);
  }

  async #tick(): Promise<void> {
    if (this.#ticks++ % ticksPerRefresh === 0) {
      await this.#refreshAll();
      for (const tenantId of this.#tenants.keys()) this.#wakeTenant(tenantId);
      return;
    }
    const now = this.#context.clock.monotonic();
    for (const [tenantId, tenant] of this.#tenants) {
      if (await this.#hasNewEvents(tenantId, tenant)) this.#wakeTenant(tenantId);
      for (const loop of tenant.loops.values()) {
        const { dueAt } = loop.delivery;
        if (dueAt !== undefined && dueAt <= now) this.#run(tenantId, loop);
      }
    }
  }

  /** Notices the commits of other servers. */
  async #hasNewEvents(tenantId: string, tenant: Tenant): Promise<boolean> {
    if (tenant.tail === undefined) return false;
    const events = await this.#context.storage.list(tenantId, "event", { after: tenant.tail, limit: readSize });
    const last = events.at(-1);
    if (last !== undefined) tenant.tail = { updatedAt: last.updatedAt, id: last.id };
    return last !== undefined;
  }

  async #refreshAll(): Promise<void> {
    const tenants = await this.#context.storage.listTenants();
    const ids = new Set(tenants.filter(({ archivedAt }) => archivedAt === null).map(({ id }) => id));
    for (const id of this.#tenants.keys()) if (!ids.has(id)) this.#tenants.delete(id);
    for (const id of ids) await this.#refresh(id);
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
      ...{ loops: new Map(), pages: new Map(), tail: undefined, timer: undefined },
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

  #readEvents(tenantId: string, { pages }: Tenant, after: Position): Promise<readonly Event[]> {
    const name = `${after.updatedAt} ${after.id}`;
    const known = pages.get(name);
    if (known !== undefined) return known;
    const page = this.#context.storage.list(tenantId, "event", { after, limit: readSize });
    page.catch(() => pages.delete(name));
    pages.set(name, page);
    return page;
  }

  #wakeTenant(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant === undefined) return;
    tenant.pages.clear();
    for (const loop of tenant.loops.values()) this.#run(tenantId, loop);
  }

  #run(tenantId: string, loop: Loop): void {
    loop.isWoken = true;
    if (loop.running !== undefined || this.#isStopping || this.#context.clock.monotonic() < loop.pausedUntil) return;
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
