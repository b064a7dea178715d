import type { Api, Asked, HttpAnswer, Transport } from "../lib/index.ts";
import type { Health, HealthAnswer } from "./health.ts";

/** What a server needs of an API. */
export type Served = Pick<Api, "answer" | "newRequestId">;

/** What stands before the API on its own port: health, which is the program's, and who is believed to be the client. */
export function inFront(api: Served, health: Health, proxies: number): Served {
  const answer: Served["answer"] = async (asked, transport = {}) => {
    const found = await health.answer(pathOf(asked));
    if (found !== undefined) return answerOf(asked.method, found);
    return api.answer(asked, proxies === 0 ? transport : behind(proxies, asked, transport));
  };
  return { answer, newRequestId: () => api.newRequestId() };
}

/** Empty where it cannot be read, which the API will say. */
function pathOf(asked: Asked): string {
  try {
    return asked.address().pathname;
  } catch {
    return "";
  }
}

function answerOf(method: string, { status, body }: HealthAnswer): HttpAnswer {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  if (method === "GET") return { status, headers, body };
  if (method === "HEAD") return { status, headers, body: null };
  return { status: 405, headers: { allow: "GET, HEAD" }, body: null };
}

/** Each proxy adds the address that it was called from on the right; what stands further left is the caller's own word. */
function behind(proxies: number, asked: Asked, transport: Transport): Transport {
  const addresses = asked.header("x-forwarded-for")?.split(",") ?? [];
  const remoteAddress = addresses.at(-proxies)?.trim() || transport.remoteAddress;
  return { ...transport, remoteAddress };
}
