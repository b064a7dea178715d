import { call } from "../api.ts";
import { collections, type Entity, entities } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type Outcome, type SkippedEvent, type Webhook, webhookUrl } from "./webhook.ts";

const text = texts.webhooks;

type SkippedEventsProps = { readonly webhook: Webhook; onSent(outcome: Outcome): void };

/** The events that the receiver rejected in every attempt. Each can be sent again. */
export function SkippedEvents({ webhook, onSent }: SkippedEventsProps) {
  const send = useAction(
    (eventId: string) => call<Outcome>("POST", webhookUrl(webhook.id, "redeliver"), { body: { eventId } }),
    ({ data }) => onSent(data),
  );
  return (
    <section>
      <h2>{text.skipped}</h2>
      {send.error && <ErrorNotice error={send.error} focus />}
      <Table
        caption={text.skipped}
        rows={webhook.skipped}
        keyOf={({ eventId }) => eventId}
        empty={text.noSkipped}
        columns={[
          { label: text.event, render: ({ type }) => <code>{type}</code> },
          { label: text.record, render: (event) => <RecordOf event={event} /> },
          { label: text.lastAttempt, render: ({ at }) => <RelativeTime iso={at} /> },
          { label: text.status, render: ({ status }) => status },
          {
            label: text.sendAgain,
            render: ({ eventId, type }) => (
              <button
                type="button"
                aria-label={`${text.sendAgain} ${type}`}
                disabled={send.isRunning}
                onClick={() => send.run(eventId)}
              >
                {text.sendAgain}
              </button>
            ),
          },
        ]}
      />
    </section>
  );
}

/** Links to the record if it has a screen. */
function RecordOf({ event: { type, recordId } }: { readonly event: SkippedEvent }) {
  const [kind] = type.split(".");
  const entity = entities.find((each) => each === kind);
  if (entity === undefined) return <code>{recordId}</code>;
  return <a href={href([collections[entity as Entity], recordId])}>{texts.requests.openRecord(recordId)}</a>;
}
