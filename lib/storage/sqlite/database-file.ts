import type { Database } from "better-sqlite3";
import { StorageUnavailable } from "../storage.ts";
import { ConnectionPair } from "./connection-pair.ts";
import { toDatabaseError } from "./database-error.ts";
import { identifyFile } from "./file-identity.ts";
import { openExisting, openWriter } from "./open.ts";
import type { CommitWorkerOptions } from "./options.ts";
import { maxQuickCheckBytes } from "./preflight.ts";

/** What the next start would find: what is open, or why not that, and perhaps a copy of it that could be opened now. */
type Found = { readonly fault?: string; readonly isReplaced?: boolean };

/** How often another file in the place of the one that was opened is looked through. */
const lookEveryMs = 2_000;

/** What a storage needs of where its database is. */
export type ConnectionSource = Pick<DatabaseFile, "open" | "writable" | "assertUnchanged" | "close">;

/**
 * A database at its path. What was opened is read from, also when it stands there no more; written is only to what
 * the next start will find there.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #apart: CommitWorkerOptions;
  #open: ConnectionPair;
  #sizeSeen: number;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @throws DatabaseError */
  constructor(path: string, open: (path: string) => Database = openWriter, apart: CommitWorkerOptions = {}) {
    this.#path = path;
    this.#apart = apart;
    this.#open = connect(path, () => open(path), apart);
    this.#sizeSeen = this.#open.fileIdentity?.size ?? 0;
  }

  /** To read from. */
  get open(): ConnectionPair {
    return this.#open;
  }

  /** To write to. A copy of the database that has taken its place is opened first. @throws StorageUnavailable */
  writable(): ConnectionPair {
    const { fault, isReplaced } = this.#find();
    if (fault === undefined) return this.#open;
    if (isReplaced !== true || performance.now() - this.#lookedAt < lookEveryMs) throw new StorageUnavailable(fault);
    this.#reopen();
    return this.#open;
  }

  /** @throws StorageUnavailable where what was just written stands there no more */
  assertUnchanged(): void {
    const { fault } = this.#find();
    if (fault !== undefined) throw new StorageUnavailable(fault);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  #find(): Found {
    const { fileIdentity: opened } = this.#open;
    if (opened === undefined) return {};
    const [path, found] = [this.#path, identifyFile(this.#path)];
    if (found === undefined) return { fault: `${path} is gone. Put it back.` };
    if (found.file !== opened.file) {
      const stop = `${path} was replaced beside the log of the old file. Stop, remove ${path}-wal, start again.`;
      if (found.log === opened.log) return { fault: stop };
      if (found.size > maxQuickCheckBytes)
        return { fault: `${path} was replaced. Start again to use what is there now.` };
      return { fault: `${path} was replaced.`, isReplaced: true };
    }
    if (found.log !== opened.log)
      return {
        fault: `${path}-wal was removed while it was in use. Stop, so that what it held is kept, and start again.`,
      };
    if (found.size < this.#sizeSeen && !this.#open.fitsAllPages(found.size))
      return { fault: `${path} was cut off at ${found.size} bytes.` };
    this.#sizeSeen = found.size;
    return {};
  }

  /** Only a copy is gone over to: what else stands there would make callers unknown and their records vanish. */
  #reopen(): void {
    this.#lookedAt = performance.now();
    const other = this.#openOther();
    if (Buffer.compare(other.secret(), this.#open.secret()) !== 0) {
      void other.close();
      throw new StorageUnavailable(`${this.#path} was replaced by another database. Start again to use that one.`);
    }
    void this.#open.close();
    this.#open = other;
    this.#sizeSeen = other.fileIdentity?.size ?? 0;
  }

  #openOther(): ConnectionPair {
    try {
      return connect(this.#path, () => openExisting(this.#path), this.#apart);
    } catch (error) {
      throw new StorageUnavailable((error as Error).message, { cause: error });
    }
  }
}

/** @throws DatabaseError */
function connect(path: string, open: () => Database, apart: CommitWorkerOptions): ConnectionPair {
  const database = open();
  try {
    return new ConnectionPair(database, undefined, apart);
  } catch (error) {
    database.close();
    throw toDatabaseError(error, path);
  }
}
