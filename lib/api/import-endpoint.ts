import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { batchEndpoint } from "./batch.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Returns the batch endpoint for imports in the same process. It takes 512 operations, each with the ID of the record
 * that it creates, so that a repeated row creates no second record. It isn't part of the HTTP API.
 */
export function importEndpoint(model: Model<Kind>, endpoints: readonly Endpoint[]): Endpoint {
  const find = (method: string, path: string): Endpoint | undefined =>
    endpoints.find((each) => each.method === method && each.path === path);
  const [create, update] = [find("POST", `/${model.plural}`), find("PATCH", `/${model.plural}/:id`)];
  const upsert = find("POST", `/${model.plural}/upsert`);
  if (create === undefined || update === undefined) throw new TypeError(`${model.plural} can't be imported.`);
  const targets = { create, update, ...(upsert === undefined ? {} : { upsert }) };
  const batch = batchEndpoint(model, targets, { maxOperations: 512, hasNewIds: true });
  return { ...batch, name: `import${create.tag.name}` };
}
