import type { TenantClock } from "../storage.ts";

/**
 * Reads the clocks of the tenants with webhooks. It reads the index of all webhooks, but no other rows of other
 * tenants.
 */
export const webhookClocksSql = `
  SELECT c.tenant_id, c.last_at, c.settings_version
  FROM (SELECT DISTINCT tenant_id FROM webhooks WHERE archived = 0) w
  JOIN tenant_clocks c ON c.tenant_id = w.tenant_id
  JOIN tenants t ON t.tenant_id = w.tenant_id
  WHERE t.archived_at IS NULL`;

export function toTenantClock([tenantId, lastAt, settingsVersion]: readonly unknown[]): TenantClock {
  return { tenantId: String(tenantId), lastAt: Number(lastAt), settingsVersion: Number(settingsVersion) };
}
