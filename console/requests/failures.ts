import type { RequestEntry } from "crm-integrations/client";
import { read } from "../api.ts";

type FailuresQuery = { readonly integrationId: string; readonly limit: number; readonly since?: string };

/** Returns the last failed requests of an integration, the newest first. */
export async function readFailures(query: FailuresQuery, signal: AbortSignal): Promise<readonly RequestEntry[]> {
  const lists = ["4xx", "5xx"].map((status) =>
    read<readonly RequestEntry[]>("api/admin/requests", { query: { ...query, status }, signal }),
  );
  const found = (await Promise.all(lists)).flat();
  return found.sort((a, b) => b.at.localeCompare(a.at)).slice(0, query.limit);
}
