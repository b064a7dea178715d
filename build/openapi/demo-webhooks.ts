import type { Storage, Write } from "../../lib/index.ts";

const integrationId = "01944af3-7bc4-7d27-b6e4-3466218959d7";
const eventId = "01943aa0-bc00-8000-a000-000000000001";
export const completedTaskId = "019a5e0b-ab98-72d6-8d69-730863565dfa";

/** Adds the webhooks and the event of the examples to the demo tenant. Tenant files contain neither. */
export async function addWebhooks(storage: Storage, tenantId: string, now: number): Promise<void> {
  const owners = [integrationId, null];
  const none = { previousSecret: null, previousSecretUntil: null, types: null, description: null, archivedAt: null };
  const fresh = {
    failures: 0,
    rejections: 0,
    failingSince: null,
    nextAttemptAt: null,
    pausedReason: null,
    skipped: [],
  };
  const event = { type: "task.created", recordId: completedTaskId, changed: null, before: null, previousAt: null };
  await storage.commit(tenantId, now, (at) => {
    const base = { createdAt: now, updatedAt: at, archivedAt: null };
    const writes = owners.flatMap((owner, index): Write[] => {
      const id = `0199c0a1-0000-7000-8000-00000000000${index + 1}`;
      const state = {
        ...fresh,
        positionAt: at,
        positionId: null,
        lastAttempt: null,
        lastSuccessAt: null,
        leaseOwner: null,
      };
      const urls = { url: `https://hooks.fjordlys.example/${index + 1}`, secret: `whsec_${"A".repeat(43)}=` };
      const settings = { integrationId: owner, skipOwn: owner !== null, active: true };
      return [
        { op: "insert", kind: "webhook", record: { ...none, ...urls, ...settings, ...base, id } },
        { op: "insert", kind: "webhookState", record: { ...state, leaseUntil: null, ...base, id } },
      ];
    });
    const callers = { integrationId, keyId: null, userId: null, requestId: null };
    const created: Write = {
      op: "insert",
      kind: "event",
      record: { ...event, ...callers, ...base, id: eventId },
    };
    return [...writes, created];
  });
}
