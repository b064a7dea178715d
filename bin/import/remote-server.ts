import { type ClientOptions, createTransport, type SendRequest } from "#lib/client";
import { UsageError } from "../cli/errors.ts";
import { type SettingValues, stringSetting } from "../cli/setting.ts";
import type { tenantSettings } from "../tenants/tenant.ts";

/** Settings of a command that can use a server in place of a database. */
export const remoteSettings = {
  url: stringSetting("URL", "server to use in place of a database, such as https://crm.example.com"),
  apiKey: stringSetting("KEY", "API key for --url; better set as CRM_API_KEY", { secret: true }),
} as const;

type RemoteValues = SettingValues<typeof tenantSettings> & { readonly apiKey: string | undefined };

/**
 * Returns a function that sends requests to a server with the API key.
 * @throws UsageError if there is no valid API key or URL, or a database or a tenant is set as well
 */
export function connectRemote(
  url: string,
  { apiKey, data, database, tenant }: RemoteValues,
  options: Pick<ClientOptions, "retries" | "timeoutMs"> = {},
): SendRequest {
  const [other] = Object.entries({ data, database, tenant }).flatMap(([name, value]) => (value ? name : []));
  if (other !== undefined) throw new UsageError(`--${other} and --url are set. Set only one of them.`);
  if (apiKey === undefined) throw new UsageError("--url requires an API key. Set CRM_API_KEY.");
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError("CRM_API_KEY is empty or contains invalid characters.");
  return createTransport({ baseUrl: baseUrlOf(url), apiKey, ...options });
}

/** Adds the path of the API if the URL has none. @throws UsageError */
function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--url must be an http or https URL, such as https://crm.example.com, not "${text}".`);
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith("/integrations/v1") ? path : `${path}/integrations/v1`}`;
}
