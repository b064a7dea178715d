import type { ValidationIssue } from "../../model/errors.ts";
import { models } from "../../model/kinds.ts";
import type { IdReference } from "../../model/references.ts";
import type { Storage } from "../../storage/storage.ts";

/**
 * Returns an issue for each ID without a record in the tenant, and for each inactive user. Unknown and archived IDs, and
 * IDs of other tenants, get the same message.
 */
export async function checkReferences(
  storage: Pick<Storage, "get">,
  tenantId: string,
  references: readonly IdReference[],
): Promise<ValidationIssue[]> {
  const found = await Promise.all(references.map(({ kind, id }) => storage.get(tenantId, kind, id)));
  return references.flatMap(({ path, kind }, index): ValidationIssue[] => {
    const record = found[index];
    if (record === undefined || record.archivedAt !== null) {
      const message = `The ${models[kind].kind} in ${path.slice(1).replaceAll("/", ".")} doesn't exist.`;
      return [{ kind: "invalid_reference", problem: { path, code: "not_found", message } }];
    }
    if (kind !== "user" || (record as unknown as { active: boolean }).active) return [];
    const message = `The user in ${path.slice(1)} is inactive. Choose an active user (GET /users?active=true).`;
    return [{ kind: "invalid_reference", problem: { path, code: "inactive", message } }];
  });
}
