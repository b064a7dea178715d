import { href } from "../route.ts";
import { readLists } from "../set-up/resource.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { formatTime } from "../ui/time.tsx";
import { describeState, readWebhooks, type Webhook } from "./webhook.ts";

const text = texts.webhooks;
const kind = texts.setUp.kinds.webhooks;

/** All webhooks with what they do at the moment. */
export function WebhookList() {
  const loaded = useLoad(async (signal) => {
    const [webhooks, { lists }] = await Promise.all([readWebhooks(signal), readLists(["integrations"], signal)]);
    return { webhooks, names: new Map(lists.integrations?.map(({ id, name }) => [id, String(name)])) };
  }, "");
  const { webhooks, names } = loaded.value ?? {};
  return (
    <Page
      title={kind.title}
      actions={
        <a class="button primary" href={href(["webhooks", "new"])}>
          {kind.create}
        </a>
      }
    >
      <p>{kind.intro}</p>
      {loaded.error && <ErrorNotice error={loaded.error} />}
      {webhooks === undefined && !loaded.error && <Loading />}
      {webhooks && names && <WebhookTable webhooks={webhooks} names={names} />}
    </Page>
  );
}

/** The webhooks of one integration. */
export function IntegrationWebhooks({ integrationId }: { readonly integrationId: string }) {
  const loaded = useLoad(
    async (signal) => (await readWebhooks(signal)).filter((each) => each.integrationId === integrationId),
    integrationId,
  );
  return (
    <section>
      <h2>{kind.title}</h2>
      <LoadStatus of={loaded} />
      {loaded.value && <WebhookTable webhooks={loaded.value} />}
    </section>
  );
}

type WebhookTableProps = {
  readonly webhooks: readonly Webhook[];
  /** The names of integrations by ID. Without them, the table has no column for the owner. */
  readonly names?: ReadonlyMap<string, string>;
};

function WebhookTable({ webhooks, names }: WebhookTableProps) {
  const owner: Column<Webhook> = {
    label: text.owner,
    render: ({ integrationId }) => (
      <span dir="auto">{integrationId === null ? text.admins : (names?.get(integrationId) ?? integrationId)}</span>
    ),
  };
  return (
    <Table
      caption={kind.title}
      rows={webhooks}
      keyOf={({ id }) => id}
      empty={kind.empty}
      columns={[
        {
          label: text.url,
          render: ({ id, url }) => (
            <a class="url" href={href(["webhooks", id])} dir="auto">
              {url}
            </a>
          ),
        },
        {
          label: text.state,
          render: (webhook) => (
            <span class={webhook.pausedReason === null ? undefined : "failed"}>{describeState(webhook)}</span>
          ),
        },
        ...(names ? [owner] : []),
        { label: text.types, render: ({ types }) => types?.join(", ") ?? text.allTypes },
        {
          label: text.lastSuccess,
          render: ({ lastSuccessAt }) => (lastSuccessAt === null ? text.never : formatTime(lastSuccessAt)),
        },
      ]}
    />
  );
}
