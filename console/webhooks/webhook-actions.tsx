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
  const test = useAction(
    () => call<Outcome>("POST", webhookUrl(id, "test"), { body: {} }),
    ({ data }) => onTested(data),
  );
  const rotate = useAction(
    () => call<WebhookWithSecret>("POST", webhookUrl(id, "rotate-secret"), { body: {} }),
    ({ data }) => onRotated(data.secret),
  );
  const restart = useAction(
    (body: object, _done: string) => call("PATCH", webhookUrl(id), { body }),
    (_, _body, done) => onRestarted(done),
  );
  const actions = [test, rotate, restart];
  const error = actions.find((each) => each.error)?.error;
  const isRunning = actions.some((each) => each.isRunning);
  const time = readTime(since);

  /** Removes the errors of the other actions, and starts one. */
  function start(run: () => unknown): void {
    for (const { clear } of actions) clear();
    run();
  }

  return (
    <section>
      <h2>{text.actions}</h2>
      {error && <ErrorNotice error={error} focus />}
      <div class="actions">
        <button type="button" disabled={isRunning} onClick={() => start(test.run)}>
          {test.isRunning ? text.testing : text.test}
        </button>
        {(webhook.pausedReason !== null || webhook.nextAttemptAt !== null) && (
          <button
            type="button"
            disabled={isRunning}
            onClick={() => start(() => restart.run({ active: true }, text.continued))}
          >
            {text.continue}
          </button>
        )}
        <ConfirmButton
          label={text.rotate}
          title={text.rotateTitle}
          isRunning={isRunning}
          onConfirm={() => start(rotate.run)}
        >
          <p>{text.rotateEffect}</p>
        </ConfirmButton>
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (time !== undefined) start(() => restart.run({ position: { since: time } }, text.deliversAgain));
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
