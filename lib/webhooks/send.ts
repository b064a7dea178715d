import { lookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Clock } from "../auth/rate-limiter.ts";
import { type AllowedTargets, isAllowedAddress, isAllowedHost, isPrivateAddress } from "./addresses.ts";
import { sign } from "./signature.ts";

/** One message to a URL. `id` is the same for all attempts. */
export type Message = {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
};

/** The result of an attempt: a status, or an error if there was none. */
export type Outcome = {
  readonly status: number | null;
  readonly error: string | null;
  /** The header Retry-After. */
  readonly retryAfter: string | null;
  readonly durationMs: number;
};

/** Sends a POST in place of the sender of the library, which checks addresses. It must follow no redirect. */
export type WebhookFetch = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; readonly retryAfter?: string | null | undefined }>;

type Address = { readonly address: string; readonly family: number };
/** Returns all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export type SenderOptions = {
  readonly allowed: AllowedTargets;
  readonly clock: Clock;
  readonly userAgent: string;
  /** The default is the resolver of the system. */
  readonly resolve?: Resolve | undefined;
  readonly fetch?: WebhookFetch | undefined;
  readonly timeoutMs?: number | undefined;
};

/** A target that webhooks must not use. */
export class ForbiddenTarget extends Error {}

const [defaultTimeoutMs, checkTimeoutMs] = [15_000, 3_000];
const resolveAll: Resolve = (host) =>
  new Promise((resolve, reject) =>
    lookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

export type Sender = {
  /** Sends a message once, and reads no body. Never rejects. */
  send(message: Message): Promise<Outcome>;
  /** Resolves the host of a URL. @throws ForbiddenTarget if webhooks must not use it, or any error for http */
  check(url: string): Promise<void>;
};

/** Creates a sender. It connects only to the addresses that it has checked. */
export function createSender(options: SenderOptions): Sender {
  const { clock, userAgent, fetch, timeoutMs = defaultTimeoutMs } = options;
  return {
    check: async (url) => {
      await Promise.race([checkedAddresses(new URL(url), options), pause(checkTimeoutMs)]).catch((error: unknown) => {
        // The name may exist by the time of the first event.
        if (error instanceof ForbiddenTarget || url.startsWith("http:")) throw error;
      });
    },
    async send({ url, id, body, secrets }) {
      const start = clock.monotonic();
      const timestamp = Math.floor(clock.now() / 1000);
      const headers = {
        "content-type": "application/json",
        "user-agent": userAgent,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": sign(secrets, id, timestamp, body),
      };
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), timeoutMs).unref();
      const aborted = new Promise<never>((_, reject) =>
        timeout.signal.addEventListener("abort", () => reject(timedOut)),
      );
      aborted.catch(() => {});
      const request = { headers, body, signal: timeout.signal };
      const attempt = async () => (fetch === undefined ? post(new URL(url), request, options) : fetch(url, request));
      const duration = (): number => Math.round(clock.monotonic() - start);
      try {
        const { status, retryAfter = null } = await Promise.race([attempt(), aborted]);
        return { status, error: null, retryAfter, durationMs: duration() };
      } catch (error) {
        return { status: null, error: reasonOf(error), retryAfter: null, durationMs: duration() };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

const timedOut = new Error("timeout");

/** Returns a short reason without the URL, whose query can have a credential. */
function reasonOf(error: unknown): string {
  if (error === timedOut || error instanceof ForbiddenTarget) return (error as Error).message;
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? code : typeof name === "string" ? name : "error";
}

/** Returns the addresses of a URL. @throws ForbiddenTarget if one of them is forbidden */
async function checkedAddresses(url: URL, options: SenderOptions): Promise<readonly Address[]> {
  const { allowed, resolve = resolveAll } = options;
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new ForbiddenTarget("The URL isn't an https URL.");
  if (url.username !== "" || url.password !== "") throw new ForbiddenTarget("The URL has a user name or password.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  // A `fetch` of the host connects as it likes.
  if (options.fetch !== undefined && url.protocol === "https:") return [];
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new ForbiddenTarget("The host has no address.");
  const isHostAllowed = isAllowedHost(url, allowed);
  for (const { address } of addresses) {
    if (isAllowedAddress(address, isHostAllowed, allowed)) continue;
    if (isPrivateAddress(address))
      throw new ForbiddenTarget(`The host has the address ${address}, which isn't public.`);
    if (url.protocol === "http:") throw new ForbiddenTarget(`http isn't allowed for the address ${address}.`);
  }
  return addresses;
}

type Reaction = { readonly status: number; readonly retryAfter: string | null };

async function post(
  url: URL,
  { headers, body, signal }: Parameters<WebhookFetch>[1],
  options: SenderOptions,
): Promise<Reaction> {
  const addresses = await checkedAddresses(url, options);
  const [first] = addresses as [Address];
  return new Promise<Reaction>((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(
      url,
      {
        method: "POST",
        agent: false,
        signal,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        // The name isn't resolved again, because a second result could have another address.
        lookup: (_host, { all }, callback) =>
          all ? callback(null, [...addresses]) : callback(null, first.address, first.family),
      },
      (response) => {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] ?? null });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
