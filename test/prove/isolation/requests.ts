import * as v from "valibot";
import { matchFields } from "../../../lib/api/upsert.ts";
import type { Endpoint } from "../../../lib/index.ts";
import { entityModels } from "../../../lib/model/entities.ts";
import { entityOfPath, requiredFields, textField } from "../../support/entity-fields.ts";
import { samples, type TextInput, textInputs, withText } from "../schema-samples.ts";

/** A call of an endpoint, with its parts apart, so that each can be replaced. */
export type TestCall = {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
};

/** An input of a request for a text. */
export type RequestInput = {
  /** `:id`, `?ownerId`, `/contactIds/0`, or the name of a header. */
  readonly name: string;
  readonly accepts: (text: string) => boolean;
  /** Returns the call with this text in the input, several if the surrounding values can differ. */
  readonly with: (call: TestCall, text: string) => readonly TestCall[];
};

/** A UUID that no tenant has as an ID. It has letters, so that case matters. */
export const unknownId = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

/** Returns the smallest calls that the endpoint's schemas accept, without existing IDs except the tenant's. */
export function smallest(endpoint: Endpoint, tenant: string): TestCall[] {
  const params = Object.fromEntries(paramsOf(endpoint).map((name) => [name, unknownId]));
  return queriesOf(endpoint).flatMap((query) =>
    bodiesOf(endpoint, query as TestCall["query"]).map((body): TestCall => {
      const call = { endpoint, params, query: query as TestCall["query"], headers: {} };
      return body === undefined ? call : { ...call, body: inTenant(body as object, tenant) };
    }),
  );
}

/** Queries that the endpoint accepts. The field of a rule must belong to the entity. */
function queriesOf(endpoint: Endpoint): unknown[] {
  if (endpoint.path === "/admin/impact") return [{ entity: "opportunity", field: "amount" }];
  return samples(querySchema(endpoint));
}

/** Bodies that the endpoint accepts. An upsert and the operations of a batch need more than their schemas say. */
function bodiesOf(endpoint: Endpoint, { matchBy = "externalId" }: TestCall["query"]): unknown[] {
  const schema = bodySchema(endpoint);
  if (schema === undefined) return [undefined];
  const { path, method } = endpoint;
  if (method === "POST" && path === "/admin/custom-fields")
    return [{ entity: "contact", key: "sample", label: "Sample", type: "text" }];
  if (method === "POST" && path === "/admin/rules") {
    const when = { stageIds: [unknownId] };
    return [
      { entity: "account", field: "phone" },
      { entity: "opportunity", field: "amount", when },
    ];
  }
  if (path.endsWith("/reorder-stages")) return [{ stageIds: [unknownId] }];
  const kind = entityOfPath(path);
  if (kind === undefined) return samples(schema);
  const record = requiredFields(kind, "Sample", unknownId);
  const upserted = { ...record, [matchBy]: matchBy === "email" ? "sample@tenant.test" : "Sample" };
  if (path.endsWith("/upsert")) return [upserted];
  if (!path.endsWith("/batch")) return samples(schema);
  const upsert = { op: "upsert", matchBy, data: upserted };
  const operations = [
    { op: "create", data: record },
    // Some required fields can't change.
    { op: "update", id: unknownId, data: { [textField(kind)]: "Sample" } },
    { op: "archive", id: unknownId },
    ...(matchFields(entityModels[kind]).length === 0 ? [] : [upsert]),
  ];
  return operations.map((operation) => ({ operations: [operation] }));
}

/** Returns every input of the endpoint for texts: those of its path and schemas, and those of all endpoints. */
export function inputsOf(endpoint: Endpoint): RequestInput[] {
  const body = bodySchema(endpoint);
  const params = paramsOf(endpoint).map((name): RequestInput => {
    return { name: `:${name}`, accepts, with: (call, text) => [{ ...call, params: { ...call.params, [name]: text } }] };
  });
  const query = textInputs(querySchema(endpoint)).map((input) => inQuery(String(input.path[0]), input));
  const named = body === undefined ? [] : textInputs(body);
  const all = named.map((input): RequestInput => {
    const name = `/${[...input.path, ...(input.isKey ? ["*"] : [])].join("/")}`;
    const schema = body as v.GenericSchema;
    return { name, accepts: input.accepts, with: (call, text) => put(schema, call, input, text) };
  });
  // The data of a batch is that of the single requests, so only its IDs are tested.
  const inside = all.filter((input) => !input.name.startsWith("/operations/0/data/") || acceptsIdsOnly(input));
  const tenant = body === undefined || inside.some(({ name }) => name === "/tenantId") ? [] : [tenantInBody];
  const once = endpoint.method === "POST" ? [inHeader("Idempotency-Key")] : [];
  return [
    ...params,
    ...query,
    inQuery("tenantId", { accepts }),
    ...inside,
    ...tenant,
    inHeader("x-tenant-id"),
    ...once,
  ];
}

/** Whether an input accepts only IDs. */
export function acceptsIdsOnly({ accepts }: Pick<RequestInput, "accepts">): boolean {
  return accepts(unknownId) && !["Sample", "sample@tenant.test", "2026-03-01"].some(accepts);
}

/**
 * Returns the call with these texts, in every way, in every input that has a text of its own. An input for which
 * `idsOf` returns some gets only these.
 */
export function* filledIn(call: TestCall, words: readonly string[], idsOf: IdsOf = () => []): Generator<TestCall> {
  const { params, query, body } = call;
  const parts = Object.entries({ ":": params, "?": query, "/": (body ?? {}) as object });
  const names = parts.flatMap(([sign, part]) => namesIn(part).map((name) => sign + name));
  yield* filling(
    call,
    inputsOf(call.endpoint).filter(({ name }) => names.includes(name)),
    words,
    idsOf,
  );
}

/** The names of all members, with nested ones: `operations`, `operations/0`, `operations/0/id`. */
function namesIn(part: object): string[] {
  return Object.entries(part).flatMap(([name, value]) => [
    name,
    ...(typeof value === "object" && value !== null ? namesIn(value).map((inner) => `${name}/${inner}`) : []),
  ]);
}

type IdsOf = (input: RequestInput) => readonly string[];

function* filling(
  call: TestCall,
  [input, ...rest]: readonly RequestInput[],
  words: readonly string[],
  idsOf: IdsOf,
): Generator<TestCall> {
  if (input === undefined) return void (yield call);
  const ids = idsOf(input);
  for (const word of (ids.length === 0 ? words : ids).filter(input.accepts))
    for (const each of input.with(call, word)) yield* filling(each, rest, words, idsOf);
}

function accepts(): boolean {
  return true;
}

function paramsOf({ path }: Endpoint): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

function bodySchema({ body, describedBody = body }: Endpoint): v.GenericSchema | undefined {
  return describedBody;
}

function querySchema({ query }: Endpoint): v.GenericSchema {
  return v.strictObject({ ...query });
}

function inQuery(name: string, { accepts }: Pick<RequestInput, "accepts">): RequestInput {
  return { name: `?${name}`, accepts, with: (call, text) => [{ ...call, query: { ...call.query, [name]: text } }] };
}

/** A text that a header can't contain isn't sent in a header. */
function inHeader(name: string): RequestInput {
  const carries = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
  return { name, accepts: carries, with: (call, text) => [{ ...call, headers: { ...call.headers, [name]: text } }] };
}

const tenantInBody: RequestInput = {
  name: "/tenantId",
  accepts,
  with: (call, text) => [{ ...call, body: { ...(call.body as object), tenantId: text } }],
};

function put(schema: v.GenericSchema, call: TestCall, input: TextInput, text: string): TestCall[] {
  return withText(schema, call.body, input, text).map((body) => ({ ...call, body }));
}

/** If a body must contain the tenant ID, sets it to that of the caller. */
function inTenant(body: object, tenant: string): object {
  return "tenantId" in body ? { ...body, tenantId: tenant } : body;
}
