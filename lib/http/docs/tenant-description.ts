import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isNotModified } from "../../api/conditional-requests.ts";
import { type Endpoint, endpoint, type HandlerContext } from "../../api/endpoint.ts";
import { type Entity, entityKinds, entityModels } from "../../model/entities.ts";
import { RawJson } from "../../model/record-json.ts";
import { type DescribedEntity, describeEntities } from "./describe-entities.ts";
import { openApiJson, readDescription, toRelativeJson } from "./description.ts";

/** Maximum number of cached texts. Each takes about 1 MB. */
const maxTexts = 30;

/**
 * Returns the endpoint of the description with the custom fields and the required fields of the caller's tenant, for the
 * entities that the caller may read. It isn't part of the description.
 * @param describe builds the description. The result is cached until the fields or rules change.
 */
export function tenantDescription(describe = describeEntities): Endpoint {
  const texts = new LRUCache<string, string>({ max: maxTexts });
  return endpoint({
    name: "getOpenApi",
    method: "GET",
    path: "/openapi.json",
    summary: "Retrieve the description for the tenant",
    description: "Returns the OpenAPI description with the custom fields of the tenant.",
    tag: { name: "Description", description: "" },
    success: { status: 200 },
    hasETag: true,
    async handle({ caller: { tenantId, scopes }, ifNoneMatch }, { storage }) {
      const kinds = entityKinds.filter((kind) => scopes.includes(`${entityModels[kind].plural}:read`));
      const entities = await Promise.all(kinds.map((kind) => readEntity(storage, tenantId, kind)));
      const etag = etagOf(entities);
      const headers = { ETag: etag };
      if (isNotModified(ifNoneMatch, etag)) return { status: 304, headers };
      const text = texts.get(etag) ?? toRelativeJson(describe(readDescription(), entities));
      texts.set(etag, text);
      return { status: 200, body: new RawJson(text), headers };
    },
  });
}

async function readEntity(
  storage: HandlerContext["storage"],
  tenantId: string,
  kind: Entity,
): Promise<DescribedEntity> {
  const where = { entity: kind };
  const [catalog, rules] = await Promise.all([
    storage.list(tenantId, "customField", { where }),
    storage.list(tenantId, "rule", { where }),
  ]);
  return { model: entityModels[kind], catalog, rules };
}

let generalHash: string | undefined;

/** Returns the hash of everything that the text is built from. */
function etagOf(entities: readonly DescribedEntity[]): string {
  generalHash ??= hash("sha256", openApiJson());
  const parts = entities.map(({ model: { kind }, catalog, rules }) => [kind, catalog, rules]);
  return `"${hash("sha256", generalHash + JSON.stringify(parts), "base64url").slice(0, 22)}"`;
}
