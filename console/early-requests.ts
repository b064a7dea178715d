import { sessionHeaders } from "./page-session.ts";

/** The requests of the overview, by what they return. */
export const overviewPaths = {
  counts: "api/v1/counts",
  totals: "api/admin/requests/counts?by=integration",
  hours: "api/admin/requests/counts?by=hour",
  keys: "api/api-key",
  system: "api/admin/system",
} as const;

declare global {
  /**
   * The responses to requests that the page sends before the program is loaded, by URL. Without a session, undefined in
   * place of data, because only the session is requested.
   */
  var earlyResponses: Map<string, Promise<Response | undefined>> | undefined;
}

/** Requests the session, and then the data of the overview if that is the first screen. */
export function requestEarly(isOverview: boolean): void {
  const session = get("session", {});
  const headers = session.then(async (response) =>
    response.ok ? sessionHeaders((await response.clone().json()).data) : undefined,
  );
  const responses = new Map<string, Promise<Response | undefined>>([["session", session]]);
  for (const path of isOverview ? Object.values(overviewPaths) : [])
    responses.set(
      path,
      headers.then((sent) => sent && get(path, sent)),
    );
  // The program handles the error of a response that it takes.
  for (const each of [headers, ...responses.values()]) each.catch(() => {});
  globalThis.earlyResponses = responses;
  // Another screen doesn't need them, and later they are old.
  addEventListener("hashchange", () => responses.clear(), { once: true });
}

function get(path: string, headers: HeadersInit): Promise<Response> {
  return fetch(path, { headers: { accept: "application/json", ...headers }, redirect: "manual" });
}

/** Returns the response to an early request, once. */
export async function takeEarlyResponse(method: string | undefined, url: string): Promise<Response | undefined> {
  if (method !== "GET") return undefined;
  const response = globalThis.earlyResponses?.get(url);
  globalThis.earlyResponses?.delete(url);
  return response;
}
