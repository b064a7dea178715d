import { models } from "#lib";
import {
  type Columns,
  type ColumnTarget,
  type CustomField,
  completeTargets,
  type Entity,
  fieldTargets,
  missingTargets,
} from "#lib/transfer";
import { UsageError } from "../cli/errors.ts";

/** Returns all targets of an entity in the order of an export. */
export function listTargets(
  entity: Entity,
  catalog: readonly CustomField[],
  upsertBy?: string,
): readonly ColumnTarget[] {
  return completeTargets(fieldTargets(models[entity].fields), catalog, upsertBy);
}

/** @throws UsageError if a column is missing that every row needs */
export function assertRequiredColumns(
  { targets, templates }: Columns,
  all: readonly ColumnTarget[],
  { upsertBy, entity }: { readonly upsertBy: string | undefined; readonly entity: Entity },
): void {
  const names = [...targets, ...templates.map(({ target }) => target)].map((target) => target?.name);
  const [missing] = missingTargets(all, names, upsertBy);
  if (missing === undefined) return;
  const { name } = missing;
  const problem =
    upsertBy === undefined
      ? `No column for the required field ${name} of ${entity}.`
      : `--upsert-by ${name} requires a column for ${name}.`;
  throw new UsageError(`${problem} Map it with --map ${name}=COLUMN.`);
}
