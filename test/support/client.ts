import { type ClientOptions, createClient } from "../../lib/client/index.ts";
import { baseUrl, type TestCrm } from "./harness.ts";

/** Returns a client that calls the API in this process. */
export function clientOf({ api }: Pick<TestCrm, "api">, apiKey: string, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, apiKey, fetch: (url, init) => api.fetch(new Request(url, init)), ...options });
}
