import type { Api, Transport } from "../lib/index.ts";
import type { Health, HealthAnswer } from "./health.ts";

/** What a server needs of an API. */
export type Served = Pick<Api, "fetch" | "newRequestId">;

/** What stands before the API on its own port: health, which is the program's, and who is believed to be the client. */
export function inFront(api: Served, health: Health, proxies: number): Served {
  const fetch: Served["fetch"] = async (request, transport = {}) => {
    const answer = await health.answer(pathOf(request.url));
    if (answer !== undefined) return responseOf(request.method, answer);
    return api.fetch(request, proxies === 0 ? transport : behind(proxies, request, transport));
  };
  return { fetch, newRequestId: () => api.newRequestId() };
}

function pathOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2)).split("?", 1)[0] ?? "";
}

function responseOf(method: string, { status, body }: HealthAnswer): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  if (method === "GET") return new Response(body, { status, headers });
  if (method === "HEAD") return new Response(null, { status, headers });
  return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
}

/** Each proxy adds the address that it was called from on the right; what stands further left is the caller's own word. */
function behind(proxies: number, request: Request, transport: Transport): Transport {
  const addresses = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  const remoteAddress = addresses.at(-proxies)?.trim() || transport.remoteAddress;
  return { ...transport, remoteAddress };
}
