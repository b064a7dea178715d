import { randomUUID } from "node:crypto";

/** A record in a response. */
export type RecordJson = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

export const lists = ["/accounts", "/contacts", "/opportunities", "/tasks"] as const;
export type List = (typeof lists)[number];

/** A write of a client, retried until it got a response. */
export type CompletedWrite = {
  readonly tenant: number;
  readonly list: List;
  readonly method: string;
  readonly path: string;
  /** The Idempotency-Key. PATCH and DELETE have none. */
  readonly key: string | undefined;
  readonly body: string | undefined;
  /** The IDs of its requests. A response to any of them confirms the write. */
  readonly requests: readonly string[];
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  /** The record after the write. */
  readonly record: RecordJson;
};

/** A response to a reader: the tenant has records up to at least this time. */
export type Observation = { readonly tenant: number; readonly request: string; readonly updatedAt: string };

type PendingWrite = Pick<CompletedWrite, "list" | "method" | "path" | "key" | "body"> & { readonly requests: string[] };
type OwnRecord = { readonly list: List; record: RecordJson };

/** The program ended before it sent a response. */
class NoResponse extends Error {}

/** A client that sends one request at a time, retries requests without a response, and logs completed writes. */
export class Client {
  readonly completed: CompletedWrite[] = [];
  readonly observations: Observation[] = [];
  readonly #name: string;
  readonly #tenant: number;
  readonly #apiKey: string;
  readonly #random: () => number;
  readonly #own: OwnRecord[] = [];
  #pending: PendingWrite | undefined;
  #count = 0;

  constructor(name: string, tenant: number, apiKey: string, random: () => number) {
    this.#name = name;
    this.#tenant = tenant;
    this.#apiKey = apiKey;
    this.#random = random;
  }

  /**
   * Reads all lists, completes the pending write, then sends `count` more writes.
   * @returns whether all got a response
   */
  async work(baseUrl: string, count: number): Promise<boolean> {
    try {
      for (const list of lists) await this.#observe(baseUrl, list);
      for (let left = count + (this.#pending === undefined ? 0 : 1); left > 0; left--) {
        this.#pending ??= this.#nextWrite();
        while (!(await this.#complete(baseUrl, this.#pending)));
        this.#pending = undefined;
      }
      return true;
    } catch (error) {
      if (error instanceof NoResponse) return false;
      throw error;
    }
  }

  /** Returns all records of the tenant. */
  async readAll(baseUrl: string): Promise<RecordJson[]> {
    return (await Promise.all(lists.map((list) => this.#readList(baseUrl, list)))).flat();
  }

  async #observe(baseUrl: string, list: List): Promise<void> {
    const requests: string[] = [];
    const records = await this.#readList(baseUrl, list, this.#own.at(-1)?.record.updatedAt, requests);
    const updatedAt = records.at(-1)?.updatedAt;
    const request = requests.at(-1);
    if (updatedAt !== undefined && request !== undefined)
      this.observations.push({ tenant: this.#tenant, request, updatedAt });
  }

  /** Sends a pending write. Returns `false` if the response is 503 and the write needs a retry. */
  async #complete(baseUrl: string, write: PendingWrite): Promise<boolean> {
    const { status, text, location } = await this.#send(baseUrl, write);
    if (status === 503) return false;
    const isRetry = write.requests.length > 1;
    const isDone = status < 300 || (write.method === "DELETE" && isRetry && status === 404);
    if (!isDone) throw new Error(`${write.method} ${write.path} → ${status}: ${text}`);
    const record = write.method === "DELETE" ? await this.#archived(baseUrl, write) : JSON.parse(text).data;
    const own = this.#own.find((each) => each.record.id === record.id);
    if (own === undefined) this.#own.push({ list: write.list, record });
    else own.record = record;
    this.completed.push({ ...write, tenant: this.#tenant, status, text, location, record });
    return true;
  }

  /** Finds an archived record in the list, as a sync does. */
  async #archived(baseUrl: string, { list, path, requests }: PendingWrite): Promise<RecordJson> {
    const before = this.#own.find(({ record }) => path.endsWith(record.id))?.record;
    const records = await this.#readList(baseUrl, list, before?.updatedAt, requests);
    const record = records.find(({ id }) => id === before?.id);
    if (record?.archivedAt === undefined) throw new Error(`${path} is archived, but a sync doesn't receive it`);
    return record;
  }

  /** Reads all records of a list since this time, archived ones included. @throws NoResponse if the program ended */
  async #readList(baseUrl: string, list: List, since?: string, requests: string[] = []): Promise<RecordJson[]> {
    const found: RecordJson[] = [];
    const from = since === undefined ? "" : `&updatedSince=${since}`;
    for (let more = `?limit=200&includeArchived=true${from}`; more !== ""; ) {
      const { text } = await this.#send(baseUrl, { method: "GET", path: `${list}${more}`, requests });
      const { data, nextCursor } = JSON.parse(text) as { data: RecordJson[]; nextCursor: string | null };
      found.push(...data);
      more = nextCursor === null ? "" : `?limit=200&cursor=${nextCursor}`;
    }
    return found;
  }

  async #send(baseUrl: string, write: Pick<PendingWrite, "method" | "path" | "requests"> & Partial<PendingWrite>) {
    const { method, path, key, body, requests } = write;
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
      throw new NoResponse(`${method} ${path} got no response`, { cause });
    }
  }

  #nextWrite(): PendingWrite {
    const [choice, open] = [this.#random(), this.#own.filter(({ record }) => record.archivedAt === undefined)];
    const removable = open.filter(({ list }) => list === "/tasks" || list === "/opportunities");
    const archived = this.#own.filter(({ record }) => record.archivedAt !== undefined);
    const [changed, removed, restored] = [this.#pick(open), this.#pick(removable), this.#pick(archived)];
    if (choice < 0.3 && changed !== undefined) return writeTo("PATCH", changed, this.#change(changed.list));
    if (choice < 0.4 && removed !== undefined) return writeTo("DELETE", removed);
    if (choice < 0.5 && restored !== undefined) return writeTo("POST", restored, {}, "/restore");
    const list = this.#pick(lists) ?? "/tasks";
    const body = JSON.stringify({ ...this.#newRecord(list, open), ...this.#change(list) });
    return { list, method: "POST", path: list, key: randomUUID(), body, requests: [] };
  }

  #newRecord(list: List, open: readonly OwnRecord[]): Record<string, unknown> {
    const name = `${this.#name}, number ${this.#count}`;
    const idIn = (of: List): string | undefined => this.#pick(open.filter((each) => each.list === of))?.record.id;
    if (list === "/accounts") return { name };
    if (list === "/contacts")
      return { name, email: `${this.#name}.${this.#count}@crm.test`, accountId: idIn("/accounts") };
    const [contact, opportunity] = [idIn("/contacts"), idIn("/opportunities")];
    if (list === "/opportunities") return { name, accountId: idIn("/accounts"), contactIds: contact ? [contact] : [] };
    return { title: name, relatedTo: opportunity ? { type: "opportunity", id: opportunity } : null };
  }

  /** Returns changed fields with a long or a short text, so that commits differ in size. */
  #change(list: List): Record<string, unknown> {
    const text = `${this.#count} ${"x".repeat(Math.floor(this.#random() ** 2 * 50_000))}`;
    if (list === "/accounts" || list === "/tasks") return { description: text };
    return list === "/contacts" ? { jobTitle: text.slice(0, 200) } : { externalId: text.slice(0, 200) };
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

function writeTo(method: string, { list, record }: OwnRecord, body?: unknown, action = ""): PendingWrite {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const key = method === "POST" ? randomUUID() : undefined;
  return { list, method, path: `${list}/${record.id}${action}`, key, body: text, requests: [] };
}
