import type { AnyRecord, Kind, Storage } from "#lib";

/** Size of the cache, so that memory use doesn't depend on the size of the export. */
const maxCachedNames = 10_000;

type Named = { readonly name?: string; readonly email?: string | null; readonly externalId?: string | null };

/** The value by which an import can find a record. */
const nameOf: Readonly<Record<string, (record: Named) => string | null | undefined>> = {
  account: ({ name }) => name,
  contact: ({ email, externalId }) => email ?? externalId,
  opportunity: ({ externalId }) => externalId,
  user: ({ email }) => email,
  pipeline: ({ name }) => name,
  stage: ({ name }) => name,
};

/** Replaces IDs by names. Keeps the ID of a record that is archived or has no name. */
export class ReferenceNames {
  readonly #storage: Pick<Storage, "get">;
  readonly #tenantId: string;
  readonly #names = new Map<string, string>();

  constructor(storage: Pick<Storage, "get">, tenantId: string) {
    this.#storage = storage;
    this.#tenantId = tenantId;
  }

  /** Replaces an ID or a list of IDs. Returns other values unchanged. */
  async replace(kind: string, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.replace(kind, each)));
    if (typeof value !== "string") return value;
    const cached = this.#names.get(kind + value);
    if (cached !== undefined) return cached;
    const record = (await this.#storage.get(this.#tenantId, kind as Kind, value)) as (AnyRecord & Named) | undefined;
    const name = (record?.archivedAt === null && nameOf[kind]?.(record)) || value;
    if (this.#names.size >= maxCachedNames) this.#names.clear();
    this.#names.set(kind + value, name);
    return name;
  }
}
