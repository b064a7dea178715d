import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { ConfirmButton } from "../set-up/confirm-button.tsx";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { readTime, TimeField } from "../ui/time-field.tsx";
import { type Outcome, type Webhook, type WebhookWithSecret, webhookUrl } from "./webhook.ts";

const text = texts.webhooks;

type WebhookActionsProps = {
  readonly webhook: Webhook;
  onTested(outcome: Outcome): void;
  onRotated(secret: string | null): void;
  /** Called after the delivery has started afresh. */
  onRestarted(message: string): void;
};

/** Buttons that send a test, continue, deliver again from a time, and rotate the secret. */
export function WebhookActions({ webhook, onTested, onRotated, onRestarted }: WebhookActionsProps) {
  const { id } = webhook;
  const [since, setSince] = useState("");
  const test = useAction(() => call<Outcome>("POST", webhookUrl(id, "test"), { body: {} }));
  const rotate = useAction(() => call<WebhookWithSecret>("POST", webhookUrl(id, "rotate-secret"), { body: {} }));
  const restart = useAction((body: object) => call("PATCH", webhookUrl(id), { body }));
  const actions = [test, rotate, restart];
  const error = actions.find((each) => each.error)?.error;
  const isRunning = actions.some((each) => each.isRunning);
  const time = readTime(since);
  const clearErrors = (): void => {
    for (const { clear } of actions) clear();
  };

  async function sendTest(): Promise<void> {
    clearErrors();
    const sent = await test.run();
    if (sent !== undefined) onTested(sent.data);
  }

  async function startAfresh(body: object, message: string): Promise<void> {
    clearErrors();
    if ((await restart.run(body)) !== undefined) onRestarted(message);
  }

  return (
    <section>
      <h2>{text.actions}</h2>
      {error && <ErrorNotice error={error} focus />}
      <div class="actions">
        <button type="button" disabled={isRunning} onClick={sendTest}>
          {test.isRunning ? text.testing : text.test}
        </button>
        {(webhook.pausedReason !== null || webhook.nextAttemptAt !== null) && (
          <button type="button" disabled={isRunning} onClick={() => startAfresh({ active: true }, text.continued)}>
            {text.continue}
          </button>
        )}
        <ConfirmButton
          label={text.rotate}
          title={text.rotateTitle}
          isRunning={isRunning}
          onConfirm={async () => {
            clearErrors();
            const rotated = await rotate.run();
            if (rotated !== undefined) onRotated(rotated.data.secret);
          }}
        >
          <p>{text.rotateEffect}</p>
        </ConfirmButton>
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (time !== undefined) void startAfresh({ position: { since: time } }, text.deliversAgain);
        }}
      >
        <TimeField id="since" label={text.since} value={since} onChange={setSince} />
        <button type="submit" disabled={isRunning || since === ""}>
          {text.deliverAgain}
        </button>
      </form>
    </section>
  );
}
