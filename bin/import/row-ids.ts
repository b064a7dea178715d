import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { ApiError, type Storage, uuidV7, WriteConflict } from "#lib";
import type { Entity } from "./column-target.ts";

/**
 * Assigns IDs to the records of rows. An ID is derived from the file and the row number, so that a repeated row can't
 * create a second record.
 */
export class RowIds {
  readonly #current = new AsyncLocalStorage<string | typeof checkOnly>();

  /** The ID generator of the API. */
  readonly newId = (): string => {
    const id = this.#current.getStore();
    return typeof id === "string" ? id : uuidV7(Date.now());
  };

  /** Runs an operation that creates a record with this ID. */
  run<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#current.run(id, work);
  }

  /** Runs an operation up to its commit, which throws an error that `isCheckOnly` recognizes. */
  check<T>(work: () => Promise<T>): Promise<T> {
    return this.#current.run(checkOnly, work);
  }

  /** Wraps `commit`: it throws `isAlreadyCreated` if the ID of an insert exists, and `isCheckOnly` inside `check`. */
  wrapCommit(storage: Pick<Storage, "commit">, entity: Entity): Pick<Storage, "commit"> {
    return {
      commit: async (tenant, now, propose) => {
        if (this.#current.getStore() === checkOnly) throw notWritten(checkedOnly);
        try {
          await storage.commit(tenant, now, propose);
        } catch (error) {
          const idExists = error instanceof WriteConflict && error.reason === "duplicate" && error.field === "id";
          throw idExists && error.kind === entity ? notWritten(alreadyCreated) : error;
        }
      },
    };
  }
}
const checkOnly = Symbol("check only");

/** Creates the IDs of an import: version 8 UUIDs in row order, so that the index grows at its end. */
export function rowIdGenerator(parts: readonly string[]): (row: number) => string {
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

/** Returns true if the record of the row already exists. */
export function isAlreadyCreated(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === alreadyCreated;
}

/** Returns true if `check` found no errors. */
export function isCheckOnly(error: unknown): boolean {
  return error instanceof ApiError && error.details?.reason === checkedOnly;
}

const alreadyCreated = "already_created";
const checkedOnly = "check_only";

/** Creates an error that the API passes on unchanged. */
function notWritten(reason: string): ApiError {
  return new ApiError("conflict", "Nothing was written.", { details: { reason } });
}
