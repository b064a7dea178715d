import {
  batchSender,
  type ImportCounts,
  type ImportProgress,
  type ProblemGroup,
  ProblemGroups,
  type RowProblem,
  recordFinder,
  runImport,
} from "crm-integrations/transfer";
import type { Entity } from "../names.ts";
import { pageSession } from "../page-session.ts";
import { type ImportOptions, parserOf } from "./import-plan.ts";
import { hashOf, type OpenFile } from "./open-file.ts";
import { request } from "./request.ts";
import type { LabeledTarget } from "./targets.ts";

export type RunInput = {
  readonly entity: Entity;
  readonly file: OpenFile;
  readonly targets: readonly LabeledTarget[];
  readonly options: ImportOptions;
};

/** The state of a check or an import. */
export type RunState = {
  readonly rows: number;
  readonly counts: ImportCounts;
  readonly rejected: readonly RowProblem[];
  /** The causes of the rejected rows. */
  readonly groups: readonly ProblemGroup[];
  /** The causes of the cells that are left out. */
  readonly droppedGroups: readonly ProblemGroup[];
};

/** Checks or imports the first `maxRows` rows of a file. Calls `onProgress` after each batch. */
export async function runRows(
  { entity, file, targets, options }: RunInput,
  { dryRun, maxRows = file.rows.length }: { readonly dryRun: boolean; readonly maxRows?: number },
  signal: AbortSignal,
  onProgress: (state: RunState, progress: ImportProgress) => void,
): Promise<void> {
  const { columnNames, parse } = parserOf(file, targets, options);
  const identity = JSON.stringify([pageSession?.tenant.id, entity, file.hash, file.delimiter, options]);
  const seed = await hashOf(new TextEncoder().encode(identity));
  const send: typeof request = (...args) => {
    signal.throwIfAborted();
    return request(...args);
  };
  const rejected: RowProblem[] = [];
  const [groups, droppedGroups] = [new ProblemGroups(), new ProblemGroups()];
  await runImport(file.rows.slice(0, maxRows), {
    parse,
    send: batchSender(dryRun ? send : request, entity, seed),
    find: recordFinder(dryRun ? send : request),
    options: { ...options, entity, upsertBy: options.upsertBy || undefined, columnNames, dryRun },
    signal,
    onProgress(progress) {
      const { rows, counts } = progress;
      rejected.push(...progress.rejected);
      for (const each of progress.rejected) groups.add(each);
      for (const each of progress.dropped) droppedGroups.add(each);
      const state = { rows, counts, rejected, groups: groups.list(), droppedGroups: droppedGroups.list() };
      onProgress(state, progress);
    },
  });
}
