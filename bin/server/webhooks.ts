import { parseWebhookTargets, type WebhookOptions } from "#lib";
import { UsageError } from "../cli/errors.ts";
import { enumSetting, listSetting, type SettingValues } from "../cli/setting.ts";
import { version } from "../cli/version.ts";

export const webhookSettings = {
  webhooks: enumSetting(["on", "off"], "delivery of events; off for a server that only handles requests", "on"),
  webhookAllow: listSetting(
    "CIDR|HOST:PORT",
    "networks and hosts that webhooks can use although they aren't public, such as 10.20.0.0/16; also with http",
  ),
} as const;

/** Returns the options of `createApi` for webhooks. */
export function webhookOptions({ webhookAllow: allow }: SettingValues<typeof webhookSettings>): WebhookOptions {
  return { allow, userAgent: `crm-integrations/${version}` };
}

/** @throws UsageError if an entry of --webhook-allow is invalid */
export function assertWebhookAllow(values: SettingValues<typeof webhookSettings>): void {
  try {
    parseWebhookTargets(values.webhookAllow);
  } catch (error) {
    throw new UsageError(`--webhook-allow: ${(error as Error).message}`);
  }
}
