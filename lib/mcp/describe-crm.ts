import type { Entity } from "../model/entities.ts";
import { validationError } from "../model/errors.ts";
import type { McpCall, McpResponse } from "./call.ts";

/** The input of describe_crm. */
export type EntityQuery = {
  readonly entity?: Entity | undefined;
  readonly for?: string | undefined;
  readonly stageId?: string | undefined;
  readonly status?: string | undefined;
};

/** Maximum number of users in the overview, so that a large tenant fits into a result. */
const maxUsers = 100;

type Data<T> = { readonly data: T };
type User = Readonly<Record<"id" | "name" | "email", unknown>>;

/** Returns the JSON Schema of an entity. */
export function describeEntity({ entity, ...query }: EntityQuery, call: McpCall): Promise<McpResponse> {
  return call("GET", `/schema/${entity}`, { query });
}

/**
 * Returns what a caller needs to know before it writes: pipelines, users, scopes and the time.
 * @throws ApiError `400 validation_error` for an input that needs an entity
 */
export async function describeCrm(query: EntityQuery, call: McpCall): Promise<McpResponse> {
  assertNoEntityInputs(query);
  const me = await call("GET", "/me");
  if (me.status !== 200) return me;
  const { scopes, serverTime } = (me.body as Data<{ readonly scopes: readonly string[]; readonly serverTime: string }>)
    .data;
  const read = (scope: string, path: string, filter = {}) =>
    scopes.includes(scope) ? call("GET", path, { query: filter }) : undefined;
  const [pipelines, users] = await Promise.all([
    read("pipelines:read", "/pipelines"),
    read("users:read", "/users", { active: true }),
  ]);
  const failed = [pipelines, users].find((each) => each !== undefined && each.status !== 200);
  if (failed !== undefined) return failed;
  const data = {
    ...(pipelines && { pipelines: (pipelines.body as Data<unknown>).data }),
    ...(users && usersOf((users.body as Data<readonly User[]>).data)),
    ...{ scopes, serverTime },
  };
  return { status: 200, body: { data } };
}

function usersOf(all: readonly User[]) {
  const users = all.slice(0, maxUsers).map(({ id, name, email }) => ({ id, name, email }));
  return all.length > maxUsers ? { users, moreUsers: all.length - maxUsers } : { users };
}

/** An input that is silently ignored would make the caller believe in a wrong schema. */
function assertNoEntityInputs({ for: action, stageId, status }: EntityQuery): void {
  const given = Object.entries({ for: action, stageId, status }).flatMap(([name, value]) => (value ? name : []));
  if (given.length === 0) return;
  const message = `entity is required together with ${given.join(", ")}.`;
  throw validationError([{ kind: "shape", problem: { path: "/entity", code: "required", message } }]);
}
