import { texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { Tag } from "../ui/tag.tsx";
import type { Webhook } from "./webhook.ts";

const text = texts.webhooks;

/** The state of a webhook, and the details of it. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const [state, detail] = stateOf(webhook);
  return (
    <>
      <Tag value={state} /> {detail}
    </>
  );
}

function stateOf({ active, pausedReason, failingSince, nextAttemptAt }: Webhook): readonly [string, string?] {
  if (!active) return ["inactive"];
  if (pausedReason !== null) return ["paused", text.pausedReasons[pausedReason]];
  if (failingSince === null || nextAttemptAt === null) return ["delivering"];
  return ["retrying", text.retrying(formatTime(failingSince), formatTime(nextAttemptAt))];
}
