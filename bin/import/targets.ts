import { models } from "#lib";
import {
  type Columns,
  type ColumnTarget,
  type CustomField,
  completeTargets,
  type Entity,
  fieldTargets,
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
  if (upsertBy !== undefined && !names.includes(upsertBy))
    throw new UsageError(
      `--upsert-by ${upsertBy} requires a column for ${upsertBy}. Map it with --map ${upsertBy}=COLUMN.`,
    );
  const missing = all.filter(({ name, required }) => required === true && !names.includes(name));
  if (upsertBy !== undefined || missing.length === 0) return;
  const [{ name } = { name: "" }] = missing;
  throw new UsageError(`No column for the required field ${name} of ${entity}. Map it with --map ${name}=COLUMN.`);
}
