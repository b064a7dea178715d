/** Size of the cache, so that memory use doesn't depend on the size of the export. */
const maxCachedNames = 10_000;

type Named = {
  readonly archivedAt?: unknown;
  readonly name?: string;
  readonly email?: string | null;
  readonly externalId?: string | null;
};

/** The value by which an import can find a record. */
const nameOf: Readonly<Record<string, (record: Named) => string | null | undefined>> = {
  account: ({ name }) => name,
  contact: ({ email, externalId }) => email ?? externalId,
  opportunity: ({ externalId }) => externalId,
  user: ({ email }) => email,
  pipeline: ({ name }) => name,
  stage: ({ name }) => name,
};

/** Returns the record of an ID. */
export type GetRecord = (kind: string, id: string) => Promise<Named | undefined>;

/** Replaces IDs by names. Keeps the ID of a record that is archived or has no name. */
export class ReferenceNames {
  readonly #get: GetRecord;
  readonly #names = new Map<string, string>();

  constructor(get: GetRecord) {
    this.#get = get;
  }

  /** Replaces an ID or a list of IDs. Returns other values unchanged. */
  async replace(kind: string, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.replace(kind, each)));
    if (typeof value !== "string") return value;
    const cached = this.#names.get(kind + value);
    if (cached !== undefined) return cached;
    const record = await this.#get(kind, value);
    const name = (record && !record.archivedAt && nameOf[kind]?.(record)) || value;
    if (this.#names.size >= maxCachedNames) this.#names.clear();
    this.#names.set(kind + value, name);
    return name;
  }
}
