import { randomUUID } from "node:crypto";

/** A record as the API shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

export const lists = ["/accounts", "/contacts", "/opportunities", "/tasks"] as const;
export type List = (typeof lists)[number];

/** A write that a client asked for, as often as it took to get an answer. */
export type Done = {
  readonly tenant: number;
  readonly list: List;
  readonly method: string;
  readonly path: string;
  /** Its Idempotency-Key; PATCH and DELETE have none. */
  readonly key: string | undefined;
  readonly body: string | undefined;
  /** The ids of the requests that said so: any of them that was answered told the client that it is done. */
  readonly requests: readonly string[];
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  /** The record from then on. */
  readonly shown: Shown;
};

/** What a reader was shown: that the tenant's records go up to this time at least. */
export type Seen = { readonly tenant: number; readonly request: string; readonly updatedAt: string };

type Asked = Pick<Done, "list" | "method" | "path" | "key" | "body"> & { readonly requests: string[] };
type Own = { readonly list: List; shown: Shown };

/** The program is gone, or went before it had answered. */
class NobodyAnswers extends Error {}

/** A client that has one request under way at a time, repeats what was not answered, and notes what was. */
export class Client {
  readonly done: Done[] = [];
  readonly seen: Seen[] = [];
  readonly #name: string;
  readonly #tenant: number;
  readonly #apiKey: string;
  readonly #dice: () => number;
  readonly #own: Own[] = [];
  #unanswered: Asked | undefined;
  #count = 0;

  constructor(name: string, tenant: number, apiKey: string, dice: () => number) {
    this.#name = name;
    this.#tenant = tenant;
    this.#apiKey = apiKey;
    this.#dice = dice;
  }

  /** Looks at what is there, finishes what was not answered, then does so many more. @returns whether all was answered */
  async work(baseUrl: string, count: number): Promise<boolean> {
    try {
      for (const list of lists) await this.#look(baseUrl, list);
      for (let left = count + (this.#unanswered === undefined ? 0 : 1); left > 0; left--) {
        this.#unanswered ??= this.#next();
        while (!(await this.#finish(baseUrl, this.#unanswered)));
        this.#unanswered = undefined;
      }
      return true;
    } catch (error) {
      if (error instanceof NobodyAnswers) return false;
      throw error;
    }
  }

  /** Every record there is. */
  async walkAll(baseUrl: string): Promise<Shown[]> {
    return (await Promise.all(lists.map((list) => this.#walk(baseUrl, list)))).flat();
  }

  async #look(baseUrl: string, list: List): Promise<void> {
    const requests: string[] = [];
    const records = await this.#walk(baseUrl, list, this.#own.at(-1)?.shown.updatedAt, requests);
    const updatedAt = records.at(-1)?.updatedAt;
    const request = requests.at(-1);
    if (updatedAt !== undefined && request !== undefined) this.seen.push({ tenant: this.#tenant, request, updatedAt });
  }

  /** Whether it was done; where it cannot be done just now it is to be asked again. */
  async #finish(baseUrl: string, asked: Asked): Promise<boolean> {
    const { status, text, location } = await this.#send(baseUrl, asked);
    if (status === 503) return false;
    const again = asked.requests.length > 1;
    const good = status < 300 || (asked.method === "DELETE" && again && status === 404);
    if (!good) throw new Error(`${asked.method} ${asked.path} was answered ${status}: ${text}`);
    const shown = asked.method === "DELETE" ? await this.#archived(baseUrl, asked) : JSON.parse(text).data;
    const own = this.#own.find((each) => each.shown.id === shown.id);
    if (own === undefined) this.#own.push({ list: asked.list, shown });
    else own.shown = shown;
    this.done.push({ ...asked, tenant: this.#tenant, status, text, location, shown });
    return true;
  }

  /** Hears of an archived record as a sync does. */
  async #archived(baseUrl: string, { list, path, requests }: Asked): Promise<Shown> {
    const before = this.#own.find(({ shown }) => path.endsWith(shown.id))?.shown;
    const records = await this.#walk(baseUrl, list, before?.updatedAt, requests);
    const shown = records.find(({ id }) => id === before?.id);
    if (shown?.archivedAt === undefined) throw new Error(`${path} was archived, and a sync does not hear of it`);
    return shown;
  }

  /** Every record of a list, archived ones too, from this time on. @throws NobodyAnswers */
  async #walk(baseUrl: string, list: List, since?: string, requests: string[] = []): Promise<Shown[]> {
    const found: Shown[] = [];
    const from = since === undefined ? "" : `&updatedSince=${since}`;
    for (let more = `?limit=200&includeArchived=true${from}`; more !== ""; ) {
      const { text } = await this.#send(baseUrl, { method: "GET", path: `${list}${more}`, requests });
      const { data, nextCursor } = JSON.parse(text) as { data: Shown[]; nextCursor: string | null };
      found.push(...data);
      more = nextCursor === null ? "" : `?limit=200&cursor=${nextCursor}`;
    }
    return found;
  }

  async #send(baseUrl: string, asked: Pick<Asked, "method" | "path" | "requests"> & Partial<Asked>) {
    const { method, path, key, body, requests } = asked;
    const request = `${this.#name}-${++this.#count}`;
    requests.push(request);
    const headers = {
      "x-api-key": this.#apiKey,
      "x-request-id": request,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
    try {
      const response = await fetch(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) });
      const text = await response.text();
      return { status: response.status, text, location: response.headers.get("location") };
    } catch (cause) {
      throw new NobodyAnswers(`${method} ${path} got no answer`, { cause });
    }
  }

  #next(): Asked {
    const [what, open] = [this.#dice(), this.#own.filter(({ shown }) => shown.archivedAt === undefined)];
    const movable = open.filter(({ list }) => list === "/tasks" || list === "/opportunities");
    const archived = this.#own.filter(({ shown }) => shown.archivedAt !== undefined);
    const [changed, removed, restored] = [this.#any(open), this.#any(movable), this.#any(archived)];
    if (what < 0.3 && changed !== undefined) return ask("PATCH", changed, this.#change(changed.list));
    if (what < 0.4 && removed !== undefined) return ask("DELETE", removed);
    if (what < 0.5 && restored !== undefined) return ask("POST", restored, {}, "/restore");
    const list = this.#any(lists) ?? "/tasks";
    const body = JSON.stringify({ ...this.#newRecord(list, open), ...this.#change(list) });
    return { list, method: "POST", path: list, key: randomUUID(), body, requests: [] };
  }

  #newRecord(list: List, open: readonly Own[]): Record<string, unknown> {
    const name = `${this.#name}, number ${this.#count}`;
    const one = (of: List): string | undefined => this.#any(open.filter((each) => each.list === of))?.shown.id;
    if (list === "/accounts") return { name };
    if (list === "/contacts")
      return { name, email: `${this.#name}.${this.#count}@crm.test`, accountId: one("/accounts") };
    const [contact, opportunity] = [one("/contacts"), one("/opportunities")];
    if (list === "/opportunities") return { name, accountId: one("/accounts"), contactIds: contact ? [contact] : [] };
    return { title: name, relatedTo: opportunity ? { type: "opportunity", id: opportunity } : null };
  }

  /** Some long and some short, so that commits differ in size. */
  #change(list: List): Record<string, unknown> {
    const text = `${this.#count} ${"x".repeat(Math.floor(this.#dice() ** 2 * 50_000))}`;
    if (list === "/accounts" || list === "/tasks") return { description: text };
    return list === "/contacts" ? { jobTitle: text.slice(0, 200) } : { externalId: text.slice(0, 200) };
  }

  #any<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#dice() * items.length)];
  }
}

function ask(method: string, { list, shown }: Own, body?: unknown, action = ""): Asked {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const key = method === "POST" ? randomUUID() : undefined;
  return { list, method, path: `${list}/${shown.id}${action}`, key, body: text, requests: [] };
}
