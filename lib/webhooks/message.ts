import { formatDateTime } from "../model/date-time.ts";
import { type Entity, entityKinds, entityModels } from "../model/entities.ts";
import { type Event, event, hasEvents, kindOfEvent, matchesEventType } from "../model/event.ts";
import type { Integration } from "../model/integration.ts";
import { type Kind, models } from "../model/kinds.ts";
import { toJsonText } from "../model/record-json.ts";
import type { Webhook } from "../model/webhook.ts";
import type { Storage } from "../storage/storage.ts";

/** A longer body doesn't have the record. */
const maxBodyBytes = 256 * 1024;

/** Returns whether an event is sent: its type, the scopes of the integration and `skipOwn` allow it. */
export function isWanted(
  { type, integrationId }: Event,
  { types, skipOwn, ...webhook }: Webhook,
  integration: Integration | undefined,
): boolean {
  const kind = kindOfEvent(type);
  if (!hasEvents(kind)) return false;
  if (types !== null && !types.some((filter) => matchesEventType(filter, type))) return false;
  if (webhook.integrationId === null) return true;
  if (skipOwn && integrationId === webhook.integrationId) return false;
  return (
    (entityKinds as readonly string[]).includes(kind) &&
    integration?.scopes.includes(readScope(kind as Entity)) === true
  );
}

function readScope(kind: Entity) {
  return `${entityModels[kind].plural}:read` as const;
}

/** Returns the body of an event with the current version of its record, archived or not. */
export async function eventBody(storage: Pick<Storage, "get">, tenantId: string, each: Event): Promise<string> {
  const kind = kindOfEvent(each.type) as Kind;
  const record = Object.hasOwn(models, kind) ? await storage.get(tenantId, kind, each.recordId) : undefined;
  return messageBody(each, record === undefined ? "null" : toJsonText(models[kind], record));
}

/** Returns the body of an event. `record` is JSON text. */
export function messageBody(each: Event, record: string): string {
  const start = `{"type":${JSON.stringify(each.type)},"timestamp":"${formatDateTime(each.updatedAt)}"`;
  const data = `"event":${toJsonText(event, each)},"record":`;
  const body = `${start},"data":{${data}${record}}}`;
  return Buffer.byteLength(body) <= maxBodyBytes ? body : `${start},"data":{${data}null,"truncated":true}}`;
}

/** Returns the secrets that sign a message at this time. */
export function validSecrets({ secret, previousSecret, previousSecretUntil }: Webhook, now: number): readonly string[] {
  const isValid = previousSecret !== null && (previousSecretUntil ?? 0) > now;
  return isValid ? [secret, previousSecret] : [secret];
}
