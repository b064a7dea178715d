import * as v from "valibot";
import { endpoints } from "../endpoints/index.ts";
import { type Entity, entityKinds, entityModels } from "../model/entities.ts";
import { describe, integer, uuid } from "../model/scalars.ts";
import { searchResultKinds } from "../model/search-words.ts";
import type { McpCall, McpResponse } from "./call.ts";
import { describeCrm, describeEntity, type EntityQuery } from "./describe-crm.ts";
import { filterSchema, idempotencyKey, ids, maxIds, oneOf, operationsSchema } from "./tool-inputs.ts";
import { endpointNamed, filterText, parameterText, sentencesOf } from "./tool-texts.ts";

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** A tool. `run` gets the output of the input schema. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: v.GenericSchema;
  readonly annotations: ToolAnnotations;
  run(input: never, call: McpCall): Promise<McpResponse>;
};
type ToolAnnotations = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
};

/** The entities that a caller may read and write. */
export type ToolScope = { readonly readable: readonly Entity[]; readonly writable: readonly Entity[] };

const [maxSearchResults, maxListed] = [20, 50];
const [defaultSearchResults, defaultListed] = [10, 20];

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
const writing = { readOnlyHint: false, openWorldHint: false } as const;

/** The query of the endpoint that returns a schema. */
type EntityInputs = {
  readonly [name in "for" | "stageId" | "status"]: v.OptionalSchema<v.GenericSchema<string, string>, undefined>;
};

/** The kinds whose stage or status changes by transitions. */
const transitionKinds = entityKinds.filter((kind) =>
  endpoints.some(({ path }) => path === `/${entityModels[kind].plural}/:id/transitions`),
);

/** Returns the tools for a caller, always in the same order. */
export function toolsFor(scope: ToolScope): readonly Tool[] {
  return [describeTool(scope.readable), ...toolsThatRead(scope.readable), ...toolsThatWrite(scope.writable)];
}

/** The tools for a caller without write scopes. */
export const readingTools = toolsFor({ readable: entityKinds, writable: [] });
/** All tools. */
export const allTools = toolsFor({ readable: entityKinds, writable: entityKinds });

function describeTool(readable: readonly Entity[]): Tool {
  const { for: action, stageId, status } = endpointNamed("getOpportunitySchema").query as EntityInputs;
  const overview = "the pipelines with their stages, the active users, the scopes of the API key and the time";
  const schema = sentencesOf("getAccountSchema", 2, 3);
  return tool({
    name: "describe_crm",
    title: "Describe the CRM",
    description: `Without \`entity\`: ${overview}. With \`entity\`: the JSON Schema of its data, with the tenant's custom fields. ${schema}`,
    input:
      readable.length === 0
        ? {}
        : { entity: v.optional(oneOf(readable)), for: v.optional(action.wrapped), stageId, status },
    annotations: readOnly,
    run: (input: EntityQuery, call) =>
      input.entity === undefined ? describeCrm(input, call) : describeEntity(input, call),
  });
}

function toolsThatRead(readable: readonly Entity[]): readonly Tool[] {
  const searched = searchResultKinds.filter((kind) => readable.includes(kind));
  const changing = transitionKinds.filter((kind) => readable.includes(kind));
  const searching = tool({
    name: "search_records",
    title: endpointNamed("searchRecords").summary,
    description: sentencesOf("searchRecords", 0, 2).replaceAll("`q`", "`query`"),
    input: {
      query: endpointNamed("searchRecords").query.q as v.GenericSchema<string, string>,
      entity: v.optional(oneOf(searched)),
      limit: v.optional(integer(1, maxSearchResults), defaultSearchResults),
    },
    annotations: readOnly,
    run: ({ query: q, ...rest }, call) => call("GET", "/search", { query: { q, ...rest } }),
  });
  const listing = tool({
    name: "list_records",
    title: "List records",
    description: sentencesOf("listAccounts", 0, 2).replace("accounts", "records"),
    input: {
      entity: oneOf(readable),
      filter: v.optional(describe(filterSchema, filterText(readable))),
      updatedSince: v.optional(describe(v.string(), parameterText("listAccounts", "updatedSince"))),
      cursor: v.optional(describe(v.string(), parameterText("listAccounts", "cursor"))),
      limit: v.optional(integer(1, maxListed), defaultListed),
    },
    annotations: readOnly,
    run: ({ entity, filter, ...rest }, call) => call("GET", pathOf(entity), { query: { ...filter, ...rest } }),
  });
  const getting = tool({
    name: "get_records",
    title: "Get records",
    description: `Returns up to ${maxIds} records of one kind by ID. Unknown and archived IDs are omitted.`,
    input: { entity: oneOf(readable), ids },
    annotations: readOnly,
    run: ({ entity, ids }, call) => call("GET", pathOf(entity), { query: { ids: ids.join(",") } }),
  });
  const transitions = tool({
    name: "list_transitions",
    title: "List transitions",
    description: `Returns each stage and status that the record could get. ${sentencesOf("listTaskTransitions", 1, 3).replace("a PATCH", "an update")}`,
    input: { entity: oneOf(changing), id: uuid },
    annotations: readOnly,
    run: ({ entity, id }, call) => call("GET", `${pathOf(entity)}/${id}/transitions`),
  });
  return [
    ...(searched.length > 0 ? [searching] : []),
    ...(readable.length > 0 ? [listing, getting] : []),
    ...(changing.length > 0 ? [transitions] : []),
    ...(readable.length > 0 ? toolsThatReadEvents(readable) : []),
  ];
}

function toolsThatReadEvents(readable: readonly Entity[]): readonly Tool[] {
  return [
    tool({
      name: "list_events",
      title: endpointNamed("listEvents").summary,
      description: `Returns what happened. ${sentencesOf("listEvents", 2, 3)}`,
      input: {
        entity: v.optional(oneOf(readable)),
        types: v.optional(describe(v.array(v.string()), "Such as `task.completed`.")),
        updatedSince: v.optional(v.string()),
        cursor: v.optional(v.string()),
        limit: v.optional(integer(1, maxListed), defaultListed),
      },
      annotations: readOnly,
      run: ({ entity, types = [], ...rest }, call) => {
        const all = entity === undefined ? types : [...types, `${entity}.*`];
        return call("GET", "/events", { query: { ...rest, ...(all.length > 0 && { types: all.join(",") }) } });
      },
    }),
    tool({
      name: "record_history",
      title: "Get the history of a record",
      description: sentencesOf("listAccountHistory", 0, 1).replace("account", "record"),
      input: { entity: oneOf(readable), id: uuid, cursor: v.optional(v.string()) },
      annotations: readOnly,
      run: ({ entity, id, ...query }, call) => call("GET", `${pathOf(entity)}/${id}/history`, { query }),
    }),
  ];
}

function toolsThatWrite(writable: readonly Entity[]): readonly Tool[] {
  if (writable.length === 0) return [];
  const input = { entity: oneOf(writable), operations: operationsSchema(writable) };
  const upsert = sentencesOf("upsertAccount", 0, 1).replace("Updates the account", "An upsert updates the record");
  return [
    tool({
      name: "preview_changes",
      title: "Preview changes",
      description: "Returns the result of apply_changes, but writes nothing. New IDs and times aren't final.",
      input,
      annotations: readOnly,
      run: ({ entity, operations }, call) => sendBatch(call, entity, operations, { dryRun: true }),
    }),
    tool({
      name: "apply_changes",
      title: "Create and update records",
      description: `Creates and updates records of one kind, all or none. ${sentencesOf("batchAccounts", 0, 2)} ${upsert} After an error, correct every entry of \`details.items\` and call again.`,
      input: { ...input, idempotencyKey: v.optional(idempotencyKey) },
      annotations: { ...writing, destructiveHint: false },
      run: ({ entity, operations, idempotencyKey: key }, call) =>
        sendBatch(call, entity, operations, { idempotencyKey: key }),
    }),
    tool({
      name: "archive_records",
      title: "Archive records",
      description: `Archives up to ${maxIds} records, all or none. ${sentencesOf("archiveAccount", 1, 3)}`,
      input: { entity: oneOf(writable), ids },
      annotations: { ...writing, destructiveHint: true, idempotentHint: true },
      run: ({ entity, ids }, call) =>
        sendBatch(
          call,
          entity,
          ids.map((id) => ({ op: "archive", id })),
          {},
        ),
    }),
  ];
}

function sendBatch(
  call: McpCall,
  entity: Entity,
  operations: readonly unknown[],
  options: { readonly dryRun?: boolean; readonly idempotencyKey?: string | undefined },
): Promise<McpResponse> {
  return call("POST", `${pathOf(entity)}/batch`, { ...options, body: { operations, atomic: true } });
}

function pathOf(entity: Entity): string {
  return `/${entityModels[entity].plural}`;
}

function tool<const E extends Entries>(
  definition: Omit<Tool, "input" | "run"> & {
    readonly input: E;
    run(input: v.InferOutput<v.StrictObjectSchema<E, undefined>>, call: McpCall): Promise<McpResponse>;
  },
): Tool {
  return { ...definition, input: v.strictObject(definition.input) } as Tool;
}
