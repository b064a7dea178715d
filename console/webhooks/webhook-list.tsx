import { href } from "../route.ts";
import { type Resource, readLists } from "../set-up/resource.ts";
import { ListPage } from "../set-up/resource-list.tsx";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { type Column, Empty, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { readWebhooks, type Webhook } from "./webhook.ts";
import { WebhookState } from "./webhook-state.tsx";

const text = texts.webhooks;
const kind = texts.setUp.kinds.webhooks;

/** All webhooks, with their state. */
export function WebhookList({ resource }: { readonly resource: Resource }) {
  const loaded = useLoad(
    async (signal) => {
      const [webhooks, { lists }] = await Promise.all([readWebhooks(signal), readLists(["integrations"], signal)]);
      return { webhooks, names: new Map(lists.integrations?.map(({ id, name }) => [id, String(name)])) };
    },
    "",
    "webhooks",
  );
  const { webhooks, names } = loaded.value ?? {};
  return (
    <ListPage resource={resource}>
      <LoadStatus of={loaded} />
      {webhooks && names && <WebhookTable webhooks={webhooks} names={names} />}
    </ListPage>
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
      {loaded.value && <WebhookTable webhooks={loaded.value} integrationId={integrationId} />}
    </section>
  );
}

type WebhookTableProps = {
  readonly webhooks: readonly Webhook[];
  /** The names of integrations by ID. Without them, the table has no column for the owner. */
  readonly names?: ReadonlyMap<string, string>;
  /** The owner of a new webhook. */
  readonly integrationId?: string;
};

function WebhookTable({ webhooks, names, integrationId }: WebhookTableProps) {
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
      empty={<Empty text={kind.empty} href={href(["webhooks", "new"], { integrationId })} next={kind.create} />}
      columns={[
        {
          label: text.url,
          render: ({ id, url }) => (
            <a class="url" href={href(["webhooks", id])} dir="auto">
              {url}
            </a>
          ),
        },
        { label: text.state, render: (webhook) => <WebhookState webhook={webhook} /> },
        ...(names ? [owner] : []),
        { label: text.types, render: ({ types }) => types?.join(", ") ?? text.allTypes },
        { label: text.lastSuccess, render: ({ lastSuccessAt }) => <RelativeTime iso={lastSuccessAt} /> },
      ]}
    />
  );
}
