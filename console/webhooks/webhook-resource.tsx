import { useState } from "preact/hooks";
import { NewSecret } from "../set-up/new-key.tsx";
import { byText, type Context, type ExtraProps, type Resource, readLists } from "../set-up/resource.ts";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { SkippedEvents } from "./skipped-events.tsx";
import { describeOutcome, isSuccess, type Outcome, type Webhook, type WebhookWithSecret } from "./webhook.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookState } from "./webhook-state.tsx";

const text = texts.webhooks;

/** Webhooks, with their state and their actions above the form. */
export const webhooks: Resource = {
  name: "webhooks",
  route: ["webhooks"],
  load: (signal) => readLists(["integrations"], signal),
  nameOf: ({ url }) => String(url),
  compare: byText("createdAt"),
  columns: () => [],
  fields: (value, { lists }) => [
    { path: "/url", label: text.url, help: text.urlHelp, input: "url", required: true },
    {
      path: "/integrationId",
      label: text.owner,
      help: text.ownerHelp,
      input: "select",
      createOnly: true,
      options: (lists.integrations ?? [])
        .filter(({ archivedAt }) => !archivedAt)
        .map(({ id, name }) => ({ value: id, label: String(name) })),
    },
    { path: "/types", label: text.types, help: text.typesHelp, input: "lines" },
    ...(value("/integrationId")
      ? [{ path: "/skipOwn", label: text.skipOwn, help: text.skipOwnHelp, input: "checkbox" } as const]
      : []),
    { path: "/active", label: texts.setUp.labels.active, help: text.activeHelp, input: "checkbox" },
    { path: "/description", label: fieldLabel("description"), input: "textarea", nullable: true },
  ],
  initial: (query) => ({ integrationId: query.get("integrationId"), skipOwn: true, active: true }),
  versionInBody: true,
  toBody: ({ types, ...values }, record) => ({
    ...values,
    ...(Array.isArray(types) && { types: types.length === 0 ? null : types }),
    ...(record && { updatedAt: record.updatedAt }),
  }),
  Head: WebhookHead,
  Created: ({ record, onClose }) => <Secret value={(record as WebhookWithSecret).secret} onClose={onClose} />,
};

type SecretProps = {
  /** Null if the response with the secret was lost. */
  readonly value: string | null;
  onClose(): void;
};

function Secret({ value, onClose }: SecretProps) {
  return (
    <NewSecret
      title={text.newSecret}
      help={value === null ? text.lost : text.newSecretText}
      values={value === null ? {} : { [text.secret]: value }}
      buttonLabel={value === null ? text.open : text.stored}
      onClose={onClose}
    />
  );
}

/** The state of a webhook, its actions and the events that it skipped. */
function WebhookHead({ record, context, onChanged, onMessage }: ExtraProps & { readonly context: Context }) {
  const webhook = record as Webhook;
  const [secret, setSecret] = useState<string | null | undefined>();

  function show(message: string | undefined, isGood?: boolean): void {
    onMessage(message, isGood);
    onChanged();
  }
  const showOutcome = (outcome: Outcome): void => show(describeOutcome(outcome), isSuccess(outcome));

  return (
    <>
      {secret !== undefined && <Secret value={secret} onClose={() => setSecret(undefined)} />}
      <State webhook={webhook} context={context} />
      <WebhookActions
        webhook={webhook}
        onTested={showOutcome}
        onRotated={(rotated) => {
          setSecret(rotated);
          show(undefined);
        }}
        onRestarted={show}
      />
      <SkippedEvents webhook={webhook} onSent={showOutcome} />
      <h2>{text.settings}</h2>
    </>
  );
}

function State({ webhook, context }: { readonly webhook: Webhook; readonly context: Context }) {
  const { integrationId, lastAttempt, lastSuccessAt, position } = webhook;
  const owner = context.lists.integrations?.find(({ id }) => id === integrationId);
  const entries = [
    [text.state, <WebhookState key="" webhook={webhook} />],
    [text.owner, integrationId === null ? text.admins : String(owner?.name ?? integrationId)],
    [text.position, formatTime(position.time)],
    [
      text.lastAttempt,
      lastAttempt === null ? text.never : `${formatTime(lastAttempt.at)}: ${describeOutcome(lastAttempt)}`,
    ],
    [text.lastSuccess, lastSuccessAt === null ? text.never : formatTime(lastSuccessAt)],
  ] as const;
  return (
    <dl class="details">
      {entries.map(([label, value]) => (
        <>
          <dt key={label}>{label}</dt>
          <dd dir="auto">{value}</dd>
        </>
      ))}
    </dl>
  );
}
