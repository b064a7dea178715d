import type { ApiOptions, WebhookFetch } from "../../lib/index.ts";
import { adminAuth, adminOf } from "./admin.ts";
import { one, openCrm, type Shown } from "./crm.ts";
import { dataOf } from "./responses.ts";
import type { Edits } from "./tenant-file-edit.ts";

/** A message that a receiver got. */
export type Delivered = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly type: string; readonly data: { readonly event: Shown; readonly record: Shown | null } };
};

/** A response of a receiver: a status, or an error. */
export type Reaction = number | Error | { readonly status: number; readonly retryAfter?: string };

export const secret = { pattern: /^whsec_[A-Za-z0-9+/]{43}=$/ };
export const hook = "https://hooks.test/crm";

/** Opens an API whose messages go to receivers in memory. `react` decides what they respond. */
export async function webhookCrm(edits: Edits = {}, options: Partial<ApiOptions> = {}) {
  const delivered: Delivered[] = [];
  const receivers: { react: (message: Delivered) => Reaction | Promise<Reaction> } = { react: () => 204 };
  const fetch: WebhookFetch = async (url, { headers, body }) => {
    const message = { url, headers, body: JSON.parse(body) };
    delivered.push(message);
    const react = await receivers.react(message);
    if (react instanceof Error) throw react;
    return typeof react === "number" ? { status: react } : react;
  };
  const crm = await openCrm(edits, { adminAuth, webhooks: { fetch }, ...options });
  const worker = crm.api.deliverWebhooks({ owner: "test", isManual: true });
  const types = () => delivered.map(({ body }) => body.type);
  return {
    ...crm,
    admin: adminOf(crm as never, one.id, one.admin),
    delivered,
    receivers,
    types,
    worker,
    deliver: () => worker.deliver(),
    createHook: (body: object = {}): Promise<Shown> => crm.create("/webhooks", { url: hook, skipOwn: false, ...body }),
    readHook: async (id: string) => dataOf<Shown>(await crm.call("GET", `/webhooks/${id}`)),
  };
}
