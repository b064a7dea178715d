import type { Screens } from "../screen.ts";
import { resourceScreen } from "../set-up/screens.tsx";
import { WebhookList } from "./webhook-list.tsx";
import { webhooks } from "./webhook-resource.tsx";

/** The screens of webhooks. */
export const webhookScreens = {
  webhooks: resourceScreen(webhooks, WebhookList),
} satisfies Screens;
