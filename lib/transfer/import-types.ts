import type { Entity } from "./entities.ts";
import type { RawRow } from "./raw-row.ts";
import type { ApiFailure, RowError } from "./row-errors.ts";
import type { RowValues } from "./row-values.ts";

export type ImportOptions = {
  readonly entity: Entity;
  /** The field that identifies the record to update. Undefined: every row creates a record. */
  readonly upsertBy?: string | undefined;
  /** Whether an empty cell clears the field of an updated record. */
  readonly emptyClears?: boolean;
  /** Names of the targets whose invalid cells are omitted. */
  readonly dropInvalid?: readonly string[];
  /** Column names by target, if they differ. Used in messages. */
  readonly columnNames?: ReadonlyMap<string, string>;
  /** Whether to check all rows and write nothing. */
  readonly dryRun?: boolean;
  /** Rows per batch. The default is 100, the limit of a request. */
  readonly batchSize?: number;
  /**
   * Where an interrupted import stopped: its completed rows and their counts. Rows after them may have records already.
   */
  readonly start?: { readonly rows: number; readonly counts: ImportCounts };
};

/** The results of rows. */
export const importResults = ["created", "updated", "unchanged", "rejected"] as const;

/** Number of rows by result. */
export type ImportCounts = Readonly<Record<(typeof importResults)[number], number>>;

/** An operation of the batch endpoint, and the position of its row in the file. */
export type ImportOperation = {
  readonly row: number;
  readonly operation:
    | { readonly op: "create"; readonly data: Readonly<Record<string, unknown>> }
    | { readonly op: "update"; readonly id: string; readonly data: Readonly<Record<string, unknown>> }
    | { readonly op: "upsert"; readonly matchBy: string; readonly data: Readonly<Record<string, unknown>> };
};

/** The result of an operation. A `create` is `unchanged` if an earlier import of the file created the record. */
export type ImportItem = {
  readonly result?: "created" | "updated" | "unchanged";
  /** The ID of the record, if the sender knows it. */
  readonly id?: string;
  readonly error?: ApiFailure;
};

/**
 * Sends a batch: `POST /{plural}/batch`. Sending the same row twice must not create a second record. `part` is the same
 * for the same part of the same file. Rejects with an error that has the `status` of the response. A sender that awaits
 * `beforeCommit` between the checks of the batch and its commit lets the next batch start during the commit.
 */
export type SendBatch = (
  operations: readonly ImportOperation[],
  options: {
    readonly dryRun: boolean;
    readonly part: string;
    readonly beforeCommit?: (() => Promise<void>) | undefined;
  },
) => Promise<readonly ImportItem[]>;

/** A row with its errors. */
export type RowProblem = { readonly row: RawRow; readonly values: RowValues; readonly errors: readonly RowError[] };

export type ImportProgress = {
  /** Completed rows, including those of the interrupted import. */
  readonly rows: number;
  readonly counts: ImportCounts;
  /**
   * The IDs of the records of this batch that this import or an earlier import of the file created. Empty if the sender
   * doesn't know them.
   */
  readonly createdIds: readonly string[];
  /** The rejected rows of this batch. */
  readonly rejected: readonly RowProblem[];
  /** The rows of this batch that were imported without their invalid cells. */
  readonly dropped: readonly RowProblem[];
};
