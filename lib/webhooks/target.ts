import type { Integration } from "../model/integration.ts";
import type { Webhook } from "../model/webhook.ts";
import type { CachedStorage } from "../storage/cached-settings.ts";

/** A webhook and its integration, as they are at the moment. */
export type Target = { readonly webhook: Webhook; readonly integration: Integration | undefined };

/** Returns the webhook and its integration. Undefined if it sends nothing at the moment. */
export async function findTarget(storage: CachedStorage, tenantId: string, id: string): Promise<Target | undefined> {
  const settings = storage.openAttempt();
  const webhook = await settings.get(tenantId, "webhook", id);
  if (webhook?.archivedAt !== null || !webhook.active) return undefined;
  if (webhook.integrationId === null) return { webhook, integration: undefined };
  const integration = await settings.get(tenantId, "integration", webhook.integrationId);
  return integration?.archivedAt === null ? { webhook, integration } : undefined;
}
