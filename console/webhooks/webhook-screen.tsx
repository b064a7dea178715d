import { useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { History } from "../records/history.tsx";
import { href } from "../route.ts";
import { ConfirmButton } from "../set-up/confirm-button.tsx";
import { type Context, noContext } from "../set-up/resource.ts";
import { ResourceForm } from "../set-up/resource-form.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { valueAt } from "../ui/field-spec.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { NewSecret } from "./new-webhook.tsx";
import { SkippedEvents } from "./skipped-events.tsx";
import { describeOutcome, isSuccess, type Outcome, type Webhook, webhooks, webhookUrl } from "./webhook.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookState } from "./webhook-state.tsx";

const text = texts.webhooks;
const kind = texts.setUp.kinds.webhooks;

/** A webhook: its state, its actions, its form and the events that it skipped. */
export function WebhookScreen({ id }: { readonly id: string }) {
  const loaded = useLoad(async (signal) => {
    const [webhook, context] = await Promise.all([
      read<Webhook>(webhookUrl(id), { signal }),
      webhooks.load?.(signal) ?? noContext,
    ]);
    return { webhook, context };
  }, id);
  const [notice, show] = useMessage();
  const [secret, setSecret] = useState<string | null | undefined>();
  // The API shows an archived webhook only in the response that archives it.
  const [archived, setArchived] = useState<Webhook | undefined>();
  const setArchive = useAction((archive: boolean) =>
    archive ? call("DELETE", webhookUrl(id)) : call("POST", webhookUrl(id, "restore")),
  );
  const [saves, setSaves] = useState(0);
  const { webhook, context = noContext } = loaded.value ?? {};

  function showOutcome(outcome: Outcome): void {
    show(describeOutcome(outcome), isSuccess(outcome));
    loaded.reload();
  }

  async function changeArchived(archive: boolean): Promise<void> {
    show(undefined);
    if ((await setArchive.run(archive)) === undefined) return;
    setArchived(archive ? webhook : undefined);
    show(archive ? texts.records.archived : texts.records.restored);
    if (!archive) loaded.reload();
  }

  return (
    <Page
      title={webhook?.url ?? kind.one}
      actions={
        <>
          <a class="button" href={href(["webhooks"])}>
            {kind.back}
          </a>
          {webhook && archived === undefined && (
            <ConfirmButton
              label={texts.records.archive}
              title={texts.setUp.archiveTitle(webhook.url)}
              isRunning={setArchive.isRunning}
              onConfirm={() => changeArchived(true)}
            >
              <p>{kind.archive}</p>
            </ConfirmButton>
          )}
          {archived && (
            <button type="button" disabled={setArchive.isRunning} onClick={() => changeArchived(false)}>
              {texts.records.restore}
            </button>
          )}
        </>
      }
    >
      <LoadStatus of={loaded} />
      {setArchive.error && <ErrorNotice error={setArchive.error} focus />}
      {notice}
      {secret !== undefined && <NewSecret value={secret} onClose={() => setSecret(undefined)} />}
      {webhook && archived === undefined && (
        <>
          <State webhook={webhook} context={context} />
          <WebhookActions
            webhook={webhook}
            onTested={showOutcome}
            onRotated={(rotated) => {
              show(undefined);
              setSecret(rotated);
              loaded.reload();
            }}
            onRestarted={(content) => {
              show(content);
              loaded.reload();
            }}
          />
          <SkippedEvents webhook={webhook} onSent={showOutcome} />
          <h2>{text.settings}</h2>
          <ResourceForm
            key={saves}
            resource={webhooks}
            record={webhook}
            context={context}
            onReload={loaded.reload}
            onSubmit={() => show(undefined)}
            onSaved={(saved) => {
              show(saved === undefined ? texts.records.unchanged : texts.records.saved);
              if (saved === undefined) return;
              loaded.set({ webhook: saved as Webhook, context });
              setSaves(saves + 1);
            }}
          />
          <History
            url={webhookUrl(id)}
            record={webhook}
            fields={webhooks.fields((path) => valueAt(webhook, path), context)}
          />
        </>
      )}
    </Page>
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
      <dt>{fieldLabel("id")}</dt>
      <dd>
        <code>{webhook.id}</code>
      </dd>
    </dl>
  );
}
