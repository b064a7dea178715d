import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { ApiError, type Storage, uuidV7, WriteConflict } from "#lib";
import type { Entity } from "./target.ts";

/**
 * The ids of the records that rows become. They follow from the file and the number of the row, so that a row whose
 * record is there already cannot make a second one, however often and whenever it is sent.
 */
export class RowIds {
  readonly #current = new AsyncLocalStorage<string | typeof checkOnly>();

  /** What the API takes for an id of what it makes. */
  readonly newId = (): string => {
    const id = this.#current.getStore();
    return typeof id === "string" ? id : uuidV7(Date.now());
  };

  /** Does something that makes one record, under this id. */
  run<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#current.run(id, work);
  }

  /** Does something up to its commit, which throws what `isOnlyChecked` knows. */
  check<T>(work: () => Promise<T>): Promise<T> {
    return this.#current.run(checkOnly, work);
  }

  /** Commits for this entity that tell `isAlreadyMade` where the record's id is taken, and refuse what is checked only. */
  commits(storage: Pick<Storage, "commit">, entity: Entity): Pick<Storage, "commit"> {
    return {
      commit: async (tenant, now, propose) => {
        if (this.#current.getStore() === checkOnly) throw refusal(onlyChecked);
        try {
          await storage.commit(tenant, now, propose);
        } catch (error) {
          const taken = error instanceof WriteConflict && error.reason === "duplicate" && error.field === "id";
          throw taken && error.kind === entity ? refusal(alreadyMade) : error;
        }
      },
    };
  }
}
const checkOnly = Symbol("check only");

/** The ids of one import: uuids of version 8, which count up as the rows do, so that they are written side by side. */
export function idsOf(parts: readonly string[]): (row: number) => string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(12, 15)}`,
    `8${hash.slice(15, 18)}`,
    hash.slice(18, 20),
  ];
  const start = groups.join("-");
  return (row) => start + row.toString(16).padStart(10, "0");
}

/** That the record of this row is there: what the commit of a POST says in place of trying another id. */
export function isAlreadyMade(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === alreadyMade;
}

/** That nothing was found wrong, and nothing was written because it was not to be. */
export function isOnlyChecked(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === onlyChecked;
}

const alreadyMade = "already_made";
const onlyChecked = "only_checked";

/** An error that comes through the API as it is. */
function refusal(reason: string): ApiError {
  return new ApiError("conflict", "Nothing was written.", { details: { reason } });
}
