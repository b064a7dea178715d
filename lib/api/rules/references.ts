import type { ValidationIssue } from "../../model/errors.ts";
import { models } from "../../model/kinds.ts";
import type { IdReference } from "../../model/references.ts";
import type { Storage } from "../../storage/storage.ts";

/**
 * What is wrong with these ids: no such record in the tenant (unknown, archived and foreign ones look the same), or
 * a user who is not active.
 */
export async function checkReferences(
  storage: Pick<Storage, "get">,
  tenantId: string,
  referrals: readonly IdReference[],
): Promise<ValidationIssue[]> {
  const found = await Promise.all(referrals.map(({ kind, id }) => storage.get(tenantId, kind, id)));
  return referrals.flatMap(({ path, kind }, index): ValidationIssue[] => {
    const record = found[index];
    const word = kind === "user" ? "user" : models[kind].kind;
    if (record === undefined || record.archivedAt !== null) {
      const message = `${path.slice(1).replaceAll("/", ".")} names no ${word} of this tenant.`;
      return [{ kind: "invalid_reference", problem: { path, code: "not_found", message } }];
    }
    if (kind !== "user" || (record as unknown as { active: boolean }).active) return [];
    const message = `${path.slice(1)} names a user who is not active; choose an active one (GET /users?active=true).`;
    return [{ kind: "invalid_reference", problem: { path, code: "inactive", message } }];
  });
}
