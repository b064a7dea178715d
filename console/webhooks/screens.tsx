import type { Screens } from "../screen.ts";
import { NewWebhook } from "./new-webhook.tsx";
import { WebhookList } from "./webhook-list.tsx";
import { WebhookScreen } from "./webhook-screen.tsx";

/** The screens of webhooks. */
export const webhookScreens = {
  webhooks: ({ route: { path, query } }) => {
    const [, id] = path;
    if (id === undefined) return <WebhookList />;
    return id === "new" ? <NewWebhook query={query} /> : <WebhookScreen id={id} />;
  },
} satisfies Screens;
