import type * as v from "valibot";
import type { Call, Context, HostRule } from "./endpoint.ts";
import { ApiError, type ErrorCode, type Finding, type Problem, problemCodes, problemsError } from "./errors.ts";
import type { CustomField, CustomFieldValues } from "./records/custom-field.ts";
import type { Kind } from "./records/kinds.ts";
import type { Model, Stamps } from "./records/model.ts";
import { mergeCustomValues } from "./rules/custom-field-values.ts";
import { changesOf, fresh, type Values } from "./rules/record-diff.ts";
import { checkReferrals, referralsOf } from "./rules/references.ts";
import { missingByRule, missingCustomFields } from "./rules/required-fields.ts";

export type Stored = Stamps & Values;

/** What is particular to one resource; everything else about its endpoints is the same for all. */
export type Resource<Around = unknown> = {
  readonly model: Model<Kind>;
  /** The filters of the list beside the standard ones. */
  readonly filters: Readonly<Record<string, v.GenericSchema>>;
  /** What a POST can be refused with beside what follows from the model. */
  readonly createErrors?: readonly ErrorCode[];
  /** A record of the demo tenant, and bodies that it can be made and changed with there. */
  readonly example: { readonly id: string; readonly create: Values; readonly update: Values };
  /** What it must know of other records: asked in one go with all that every draft asks. */
  around?(sent: Values, before: Stored | undefined, tenantId: string, storage: Context["storage"]): Promise<Around>;
  /** Fills in what follows from other fields; the result is what is checked and kept. */
  complete?(after: Values, before: Stored | undefined, sent: Values, around: Around): Values;
  /** What else is wrong with the record as it is about to be. */
  check?(after: Values, before: Stored | undefined, sent: Values, around: Around): readonly Finding[];
  /** The name of the stage that the record is about to be in, for the words of a rule that asks for something there. */
  stageName?(after: Values, around: Around): string | undefined;
  /** The `409 conflict` of a change that its state, or the tenant's, forbids; told where nothing else is wrong. */
  conflictOf?(after: Values, before: Stored | undefined): ApiError | undefined;
  /** The fields that a forbidden change of state leaves as they are: nothing is asked of a state that is not come to. */
  readonly state?: readonly string[];
  /** The fields that the service sets, at the instant of the commit. */
  settle?(after: Values, before: Stored | undefined, at: number): Values;
};

/**
 * The values of a record as a POST would make it (no `before`) or a PATCH change it. All that has to be read is asked
 * at once: no question waits for the answer of another.
 * @throws ApiError with everything that references, custom fields, the tenant's rules and the resource's own find wrong
 */
export async function draft<Around>(
  resource: Resource<Around>,
  before: Stored | undefined,
  call: Call,
  context: Context,
): Promise<Values> {
  const { model } = resource;
  const input = call.body as Values;
  const { catalog, rules, owner, around, strange } = await known(resource, before, call, context);
  const custom = customOf(model, input, before, catalog);
  const sent = custom.values === undefined ? input : { ...input, customFields: custom.values };
  const changed = before === undefined ? undefined : changesOf(model, before, sent);
  const values = before === undefined ? { ...fresh(model, sent), ...owner } : { ...before, ...changed?.changes };
  const after = resource.complete?.(values, before, input, around) ?? values;
  const conflict = resource.conflictOf?.(after, before);
  const asked = conflict === undefined ? after : { ...after, ...stateOf(resource, before) };
  const found = [
    ...(changed?.findings ?? []),
    ...strange,
    ...custom.findings,
    ...(resource.check?.(asked, before, input, around) ?? []),
  ];
  const stageName = resource.stageName?.(asked, around);
  const missing = missingByRule(rules, asked, before, { catalog, stageName });
  const ofHost = await foundByHost(model.kind, asked, before, call, context);
  const findings = [...found, ...untold(missing, found), ...ofHost];
  if (findings.length > 0) throw problemsError(findings);
  if (owner === undefined) throw withoutAdmin();
  if (conflict !== undefined) throw conflict;
  return after;
}

function stateOf<Around>({ state = [] }: Resource<Around>, before: Stored | undefined): Values {
  return before === undefined ? {} : Object.fromEntries(state.map((name) => [name, before[name]]));
}

/** What of the tenant a draft depends on: its catalogue and rules, who owns what names no owner, which ids are strange. */
async function known<Around>(
  { model, around }: Resource<Around>,
  before: Stored | undefined,
  { caller: { tenantId }, body }: Call,
  { storage }: Context,
) {
  const input = body as Values;
  const where = { entity: model.kind };
  // What the record refers to already it keeps, and an id that is sent again is of that sort.
  const kept = before === undefined ? [] : referralsOf(model, before).map(({ kind, id }) => kind + id);
  const referrals = referralsOf(model, input).filter(({ kind, id }) => !kept.includes(kind + id));
  const asked = [
    model.fields.customFields === undefined ? [] : storage.list(tenantId, "customField", { where }),
    storage.list(tenantId, "rule", { where }),
    before === undefined ? ownerOf(model, input, tenantId, storage) : {},
    around?.(input, before, tenantId, storage) as Promise<Around>,
    checkReferrals(storage, tenantId, referrals),
  ] as const;
  const [catalog, rules, owner, surroundings, strange] = await Promise.all(asked);
  return { catalog, rules, owner, around: surroundings, strange };
}

/** What the host's rules say. They get copies: what is kept is what was checked. */
async function foundByHost(
  kind: Kind,
  after: Values,
  before: Stored | undefined,
  { caller }: Call,
  { rules }: Context,
): Promise<Finding[]> {
  const asked = ((rules as Readonly<Record<string, unknown>>)[kind] ?? []) as readonly HostRule<never>[];
  const problems = asked.map(async (rule) =>
    rule(structuredClone(after) as never, structuredClone(before) as never, caller),
  );
  const found = (await Promise.all(problems)).flatMap((each) => each ?? []);
  const strange = found.find((problem) => !isProblem(problem));
  if (strange === undefined) return found.map((problem) => ({ kind: "rule", problem }));
  throw new TypeError(`A rule for ${kind} answered ${JSON.stringify(strange)}, not { path, code, message }`);
}

/** A host that is not written in TypeScript may answer anything; what goes out is what the description says. */
function isProblem(problem: Problem): boolean {
  const { path, code, message } = Object(problem) as Problem;
  return typeof path === "string" && typeof message === "string" && problemCodes.includes(code);
}

/** The custom fields after the merge, for kinds that have them, and whether anything is wrong with them. */
function customOf(
  model: Model<Kind>,
  input: Values,
  before: Stored | undefined,
  catalog: readonly CustomField[],
): { values?: CustomFieldValues; findings: readonly Finding[] } {
  if (model.fields.customFields === undefined) return { findings: [] };
  const sent = (input.customFields ?? {}) as CustomFieldValues;
  const stored = (before?.customFields ?? {}) as CustomFieldValues;
  const merged = mergeCustomValues(catalog, sent, stored);
  if (before !== undefined) return merged;
  const missing = missingCustomFields(catalog, { customFields: merged.values });
  return { ...merged, findings: [...merged.findings, ...untold(missing, merged.findings)] };
}

/** A field that was sent and is wrong, or has a wrong entry, is not told to be missing too. */
function untold(missing: readonly Finding[], told: readonly Finding[]): readonly Finding[] {
  const paths = told.map(({ problem }) => `${problem.path}/`);
  return missing.filter(({ problem }) => !paths.some((path) => path.startsWith(`${problem.path}/`)));
}

/** An owner who is not named is the tenant's oldest active admin; undefined where there is none. */
async function ownerOf(
  model: Model<Kind>,
  sent: Values,
  tenantId: string,
  storage: Context["storage"],
): Promise<Values | undefined> {
  if (model.fields.ownerId === undefined || sent.ownerId !== undefined) return {};
  const users = await storage.list(tenantId, "user", { where: { role: "admin", active: true } });
  const oldest = users.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
  return oldest === undefined ? undefined : { ownerId: oldest.id };
}

function withoutAdmin(): ApiError {
  const message = "An owner is needed, and the tenant has no active administrator to be it. Send ownerId.";
  return new ApiError("tenant_without_admin", message);
}
