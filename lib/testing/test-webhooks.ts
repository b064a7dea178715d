import type { WebhookFetch } from "../webhooks/send.ts";

/** A webhook message that the test CRM sent. */
export type SentWebhook = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text that the signature is for. */
  readonly body: string;
  /** The status of the response. Null if the connection failed. */
  readonly status: number | null;
};

/** Receives the messages in a test, such as the handler of your application. */
export type WebhookReceiver = (request: Request) => Response | Promise<Response>;

/** An error that a test injects into the next messages in place of the receiver. */
export type WebhookFault = {
  /** Only messages to this URL. The default is every URL. */
  readonly url?: string;
  /** Number of messages to affect. The default is 1. */
  readonly times?: number;
  /** The status of the response. Without it, the connection fails. */
  readonly status?: number;
  /** Seconds in the header `Retry-After`. */
  readonly retryAfter?: number;
};

/** The receivers of webhook messages in a test. No message leaves the process. */
export class TestWebhooks {
  readonly sent: SentWebhook[] = [];
  #faults: (WebhookFault & { times: number })[] = [];
  readonly #receive: WebhookReceiver;

  constructor(receive: WebhookReceiver = () => new Response(null, { status: 204 })) {
    this.#receive = receive;
  }

  /** Adds a fault. Faults happen in the order in which they were added. */
  addFault(fault: WebhookFault): void {
    this.#faults.push({ times: 1, ...fault });
  }

  clear(): void {
    this.#faults = [];
    this.sent.length = 0;
  }

  readonly fetch: WebhookFetch = async (url, { headers, body, signal }) => {
    const fault = this.#takeFault(url);
    if (fault !== undefined && fault.status === undefined) {
      this.sent.push({ url, headers, body, status: null });
      throw Object.assign(new Error("An injected fault dropped the connection."), { code: "ECONNRESET" });
    }
    const { status = 0, retryAfter } = fault ?? (await this.#call(url, headers, body, signal));
    this.sent.push({ url, headers, body, status });
    return { status, retryAfter: retryAfter === undefined ? null : String(retryAfter) };
  };

  async #call(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
    const response = await this.#receive(new Request(url, { method: "POST", headers, body, signal }));
    const retryAfter = response.headers.get("retry-after") ?? undefined;
    return { status: response.status, retryAfter };
  }

  #takeFault(url: string): WebhookFault | undefined {
    const fault = this.#faults.find((each) => each.url === undefined || each.url === url);
    if (fault === undefined) return undefined;
    fault.times -= 1;
    this.#faults = this.#faults.filter(({ times }) => times > 0);
    return fault;
  }
}
