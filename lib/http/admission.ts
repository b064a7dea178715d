import type { Caller } from "../endpoint.ts";
import type { Limiter, LimitState } from "../limits.ts";

/** Who calls, and where they stand with their rate. */
export type Admission = { readonly caller: Caller; readonly rate: LimitState };

/** Lets one request in once it has come whole, or earlier where its body is so long that not anybody may send it. */
export class Door {
  readonly #authenticate: () => Promise<Caller>;
  readonly #limiter: Limiter;
  #early: Promise<Admission> | undefined;

  constructor(authenticate: () => Promise<Caller>, limiter: Limiter) {
    this.#authenticate = authenticate;
    this.#limiter = limiter;
  }

  /** Where the caller stands before the body has come whole; undefined where nobody knows them. */
  opensEarly(): Promise<LimitState | undefined> {
    this.#early = this.#admit();
    return this.#early.then(
      ({ rate }) => rate,
      () => undefined,
    );
  }

  /** Who is not within their rate is told so by the state. @throws ApiError where the caller is not known */
  async admit(): Promise<Admission> {
    if (this.#early === undefined) return this.#admit();
    const admission = await this.#early;
    // A key that was revoked while the body came in is refused.
    if (admission.rate.accepted) await this.#authenticate();
    return admission;
  }

  async #admit(): Promise<Admission> {
    const caller = await this.#authenticate();
    const rate = await this.#limiter.take(bucketOf(caller));
    return { caller, rate };
  }
}

/** Whose rate it is. Ids are each tenant's own: a key of one and a key of another may have the same. */
function bucketOf({ tenantId, keyId, userId }: Caller): string {
  return `${tenantId}:${keyId ?? `user:${userId}`}`;
}
