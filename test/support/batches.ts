import type { openCrm } from "./crm.ts";
import type { Result } from "./harness.ts";

/** The result of one operation of a batch. */
export type Item = {
  index: number;
  status: number;
  result?: string;
  data?: { id: string; name: string };
  error?: { code: string; details?: unknown };
};
/** One operation of a batch. */
export type Operation = { op: string; id?: string; matchBy?: string; onlyIf?: string; data?: Record<string, unknown> };

/** Returns the results of a batch. */
export function itemsOf({ body }: Result): readonly Item[] {
  return (body as { data: Item[] }).data;
}

/** Sends an operation of a batch as a single request. */
export async function sendSingle(
  { call }: Awaited<ReturnType<typeof openCrm>>,
  path: string,
  { op, id, matchBy, onlyIf, data }: Operation,
): Promise<Result> {
  if (op === "create") return call("POST", path, data);
  if (op === "update") return call("PATCH", `${path}/${id}`, data);
  if (op === "archive") return call("DELETE", `${path}/${id}`);
  return call("POST", `${path}/upsert?matchBy=${matchBy}${onlyIf === undefined ? "" : `&onlyIf=${onlyIf}`}`, data);
}
