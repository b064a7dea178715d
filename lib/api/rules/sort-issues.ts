import { type CustomField, sortCatalog } from "../../model/custom-field.ts";
import type { ValidationIssue } from "../../model/errors.ts";
import type { Model } from "../../model/model.ts";

/** Fields that follow those of the model in a record. */
const lastFields = ["id", "createdAt", "updatedAt", "archivedAt"];

/**
 * Sorts issues: query parameters, unknown keys, the fields of the model with custom fields in the order of the catalog,
 * then all others.
 */
export function sortIssues(
  issues: readonly ValidationIssue[],
  model: Model,
  catalog: readonly CustomField[],
): readonly ValidationIssue[] {
  const fieldRanks = ranksOf([...Object.keys(model.fields), ...lastFields]);
  const keyRanks = ranksOf(sortCatalog(catalog).map(({ key }) => key));
  const rankOf = ({ path, code }: ValidationIssue["problem"]): readonly number[] => {
    if (path.startsWith("?")) return [-2];
    const [, name = "", member = "", entry = ""] = path.split("/");
    const rank = fieldRanks.get(name) ?? (code === "unknown_key" ? -1 : Number.POSITIVE_INFINITY);
    return [rank, name === "customFields" ? (keyRanks.get(member) ?? -1) : indexOf(member), indexOf(entry)];
  };
  const ranked = issues.map((issue) => ({ issue, rank: rankOf(issue.problem) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ issue }) => issue);
}

function ranksOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index]));
}

/** Returns the index of a list entry. Other members keep their order. */
function indexOf(segment: string): number {
  return /^\d+$/.test(segment) ? Number(segment) : 0;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, each) => rank !== b[each]);
  return index === -1 ? 0 : (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}
