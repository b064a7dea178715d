import { read } from "../api.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { texts } from "../texts.ts";

const text = texts.webhooks;

/** A webhook with its state, as the API returns it. */
export type Webhook = CrmRecord & {
  readonly integrationId: string | null;
  readonly url: string;
  readonly types: readonly string[] | null;
  readonly active: boolean;
  readonly position: { readonly time: string };
  readonly failingSince: string | null;
  readonly nextAttemptAt: string | null;
  readonly lastAttempt: (Outcome & { readonly at: string }) | null;
  readonly lastSuccessAt: string | null;
  readonly pausedReason: "failing" | "gone" | "expired" | null;
  readonly skipped: readonly SkippedEvent[];
};

/** A webhook right after its creation or a rotation. The secret is null if the server repeats a response that was lost. */
export type WebhookWithSecret = Webhook & { readonly secret: string | null };

/** The result of one attempt. */
export type Outcome = { readonly status: number | null; readonly error: string | null; readonly durationMs: number };

/** An event that the receiver rejected. */
export type SkippedEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly recordId: string;
  readonly at: string;
  readonly status: number;
};

/** Returns the URL of a webhook below the console, or of one of its actions. */
export function webhookUrl(id: string, action = ""): string {
  return `api/admin/webhooks/${encodeURIComponent(id)}${action && `/${action}`}`;
}

export function readWebhooks(signal: AbortSignal): Promise<readonly Webhook[]> {
  return read("api/admin/webhooks", { signal });
}

/** Describes the result of an attempt. */
export function describeOutcome({ status, error, durationMs }: Outcome): string {
  return status === null ? text.noResponse(error ?? "", durationMs) : text.response(status, durationMs);
}

/** Whether an attempt has settled its event. */
export function isSuccess({ status }: Outcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
