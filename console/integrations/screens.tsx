import { RecentFailures } from "../requests/recent-failures.tsx";
import type { Screens } from "../screen.ts";
import type { Resource } from "../set-up/resource.ts";
import { resourceScreen } from "../set-up/screens.tsx";
import { updatedAtColumn } from "../set-up/simple-resources.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { toOptions } from "../ui/choices.tsx";
import { IntegrationWebhooks } from "../webhooks/webhook-list.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { FirstRequest } from "./first-request.tsx";

const { labels, help, scopes, tabs, keys, kinds } = texts.setUp;

const integrations: Resource = {
  name: "integrations",
  route: ["integrations"],
  nameOf: ({ name }) => String(name),
  columns: () => [
    { label: labels.scopes, render: (record) => (record.scopes as readonly string[]).join(", ") || "–" },
    updatedAtColumn,
  ],
  fields: () => [
    { path: "/name", label: fieldLabel("name"), input: "text", required: true },
    {
      path: "/scopes",
      label: labels.scopes,
      help: help.scopes,
      input: "multi-select",
      options: toOptions(scopes).map(({ value, label }) => ({ value, label: `${value}: ${label}` })),
    },
  ],
  tabs: ({ record, onChanged, form, history }) => [
    {
      id: "overview",
      label: tabs.overview,
      content: (
        <>
          {form(["/name"])}
          {!record.archivedAt && <FirstRequest scopes={record.scopes as readonly string[]} />}
          {history}
        </>
      ),
    },
    ...(record.archivedAt
      ? []
      : [
          { id: "keys", label: keys.title, content: <ApiKeys integrationId={record.id} onGenerated={onChanged} /> },
          { id: "permissions", label: tabs.permissions, content: form(["/scopes"]) },
        ]),
    { id: "webhooks", label: kinds.webhooks.title, content: <IntegrationWebhooks integrationId={record.id} /> },
    { id: "requests", label: texts.requests.title, content: <RecentFailures integrationId={record.id} /> },
  ],
};

/** The screens of integrations. */
export const integrationScreens = { integrations: resourceScreen(integrations) } satisfies Screens;
