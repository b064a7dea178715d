import type { AnyRecord, Kind, Storage } from "#lib";

/** More names than this are looked up anew: an export needs the same memory whatever its length. */
const namesMax = 10_000;

type Named = { readonly name?: string; readonly email?: string | null; readonly externalId?: string | null };

/** What an import finds a record by, in place of its id. */
const nameOf: Readonly<Record<string, (record: Named) => string | null | undefined>> = {
  account: ({ name }) => name,
  contact: ({ email, externalId }) => email ?? externalId,
  opportunity: ({ externalId }) => externalId,
  user: ({ email }) => email,
  pipeline: ({ name }) => name,
  stage: ({ name }) => name,
};

/** Puts names in the place of ids; an id stays where a record is archived or has no name to be found by. */
export class ReferenceNames {
  readonly #storage: Pick<Storage, "get">;
  readonly #tenantId: string;
  readonly #names = new Map<string, string>();

  constructor(storage: Pick<Storage, "get">, tenantId: string) {
    this.#storage = storage;
    this.#tenantId = tenantId;
  }

  /** The same for a list of ids. Anything but ids comes back as it is. */
  async of(kind: string, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.of(kind, each)));
    if (typeof value !== "string") return value;
    const known = this.#names.get(kind + value);
    if (known !== undefined) return known;
    const record = (await this.#storage.get(this.#tenantId, kind as Kind, value)) as (AnyRecord & Named) | undefined;
    const name = (record?.archivedAt === null && nameOf[kind]?.(record)) || value;
    if (this.#names.size >= namesMax) this.#names.clear();
    this.#names.set(kind + value, name);
    return name;
  }
}
