import { unwrapData } from "./collection.ts";
import type { CallOptions, SendRequest } from "./transport.ts";
import type { Webhook, WebhookCreate, WebhookOutcome, WebhookUpdate, WebhookWithSecret } from "./types.ts";

/** The webhooks of the integration. */
export type Webhooks = {
  list(options?: CallOptions): Promise<readonly Webhook[]>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /** Creates a webhook. Only this response has its secret; it is null in a replay. */
  create(values: WebhookCreate, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Changes a webhook. `active: true` or a `position` continues the delivery. */
  update(id: string, values: WebhookUpdate, options?: CallOptions): Promise<Webhook>;
  archive(id: string, options?: CallOptions): Promise<void>;
  /** Returns a new secret. The one before signs messages for another 24 hours. */
  rotateSecret(id: string, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Sends an event of the type `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<WebhookOutcome>;
  /** Sends an event again. */
  redeliver(id: string, eventId: string, options?: CallOptions): Promise<WebhookOutcome>;
};

export function createWebhooks(send: SendRequest): Webhooks {
  const request = async <T>(method: "GET" | "POST" | "PATCH", path: string, call: object = {}): Promise<T> =>
    unwrapData<T>((await send(method, `/webhooks${path}`, call)).body);
  const pathOf = (id: string, action = ""): string => `/${encodeURIComponent(id)}${action}`;
  return {
    list: (call) => request("GET", "", call),
    get: (id, call) => request("GET", pathOf(id), call),
    create: (body, call) => request("POST", "", { ...call, body }),
    update: (id, body, call) => request("PATCH", pathOf(id), { ...call, body }),
    async archive(id, call) {
      await send("DELETE", `/webhooks${pathOf(id)}`, { ...call });
    },
    rotateSecret: (id, call) => request("POST", pathOf(id, "/rotate-secret"), { ...call, body: {} }),
    test: (id, call) => request("POST", pathOf(id, "/test"), { ...call, body: {} }),
    redeliver: (id, eventId, call) => request("POST", pathOf(id, "/redeliver"), { ...call, body: { eventId } }),
  };
}
