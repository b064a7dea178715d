import { CrmError } from "crm-integrations/client";

/**
 * Loads a part of the program.
 * @throws CrmError if the server can't be reached or has been updated
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new CrmError(0, { error: { code: "unexpected", message: "", details: { reason: "not_loaded" } } }, null);
  }
}
