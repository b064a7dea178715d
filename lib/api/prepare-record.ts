import type * as v from "valibot";
import type { CustomField, CustomFieldValues } from "../model/custom-field.ts";
import {
  ApiError,
  type ErrorCode,
  type FieldError,
  fieldErrorCodes,
  type ValidationIssue,
  validationError,
} from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { BaseRecord, FieldValues, Model } from "../model/model.ts";
import { collectReferences } from "../model/references.ts";
import type { Context, EndpointCall, HostRule } from "./endpoint.ts";
import { mergeCustomFieldValues } from "./rules/custom-field-values.ts";
import { diffRecord, withDefaults } from "./rules/record-diff.ts";
import { checkReferences } from "./rules/references.ts";
import { checkRequiredCustomFields, checkRequiredFields } from "./rules/required-fields.ts";

export type StoredRecord = BaseRecord & FieldValues;

/** What is particular to one resource; everything else about its endpoints is the same for all. */
export type ResourceDefinition<Around = unknown> = {
  readonly model: Model<Kind>;
  /** The filters of the list beside the standard ones. */
  readonly filters: Readonly<Record<string, v.GenericSchema>>;
  /** What a POST can be refused with beside what follows from the model. */
  readonly createErrors?: readonly ErrorCode[];
  /** A record of the demo tenant, and bodies that it can be made and changed with there. */
  readonly example: { readonly id: string; readonly create: FieldValues; readonly update: FieldValues };
  /** What it must know of other records: asked in one go with all that every draft asks. */
  loadRelated?(
    sent: FieldValues,
    before: StoredRecord | undefined,
    tenantId: string,
    storage: Context["storage"],
  ): Promise<Around>;
  /** Fills in what follows from other fields; the result is what is checked and kept. */
  deriveFields?(after: FieldValues, before: StoredRecord | undefined, sent: FieldValues, around: Around): FieldValues;
  /** What else is wrong with the record as it is about to be. */
  check?(
    after: FieldValues,
    before: StoredRecord | undefined,
    sent: FieldValues,
    around: Around,
  ): readonly ValidationIssue[];
  /** The name of the stage that the record is about to be in, for the words of a rule that asks for something there. */
  stageName?(after: FieldValues, around: Around): string | undefined;
  /** The `409 conflict` of a change that its state, or the tenant's, forbids; told where nothing else is wrong. */
  checkTransition?(after: FieldValues, before: StoredRecord | undefined): ApiError | undefined;
  /** The fields that a forbidden change of state leaves as they are: nothing is asked of a state that is not come to. */
  readonly transitionFields?: readonly string[];
  /** The fields that the service sets, at the instant of the commit. */
  stampFields?(after: FieldValues, before: StoredRecord | undefined, at: number): FieldValues;
};

/**
 * The values of a record as a POST would make it (no `before`) or a PATCH change it. All that has to be read is asked
 * at once: no question waits for the answer of another.
 * @throws ApiError with everything that references, custom fields, the tenant's rules and the resource's own find wrong
 */
export async function prepareRecord<Around>(
  resource: ResourceDefinition<Around>,
  before: StoredRecord | undefined,
  call: EndpointCall,
  context: Context,
): Promise<FieldValues> {
  const { model } = resource;
  const input = call.body as FieldValues;
  const { catalog, rules, owner, loadRelated, strange } = await loadContext(resource, before, call, context);
  const custom = customOf(model, input, before, catalog);
  const sent = custom.values === undefined ? input : { ...input, customFields: custom.values };
  const changed = before === undefined ? undefined : diffRecord(model, before, sent);
  const values = before === undefined ? { ...withDefaults(model, sent), ...owner } : { ...before, ...changed?.changes };
  const after = resource.deriveFields?.(values, before, input, loadRelated) ?? values;
  const conflict = resource.checkTransition?.(after, before);
  const asked = conflict === undefined ? after : { ...after, ...stateOf(resource, before) };
  const found = [
    ...(changed?.findings ?? []),
    ...strange,
    ...custom.findings,
    ...(resource.check?.(asked, before, input, loadRelated) ?? []),
  ];
  const stageName = resource.stageName?.(asked, loadRelated);
  const missing = checkRequiredFields(rules, asked, before, { catalog, stageName });
  const ofHost = await runHostRules(model.kind, asked, before, call, context);
  const findings = [...found, ...withoutReported(missing, found), ...ofHost];
  if (findings.length > 0) throw validationError(findings);
  if (owner === undefined) throw withoutAdmin();
  if (conflict !== undefined) throw conflict;
  return after;
}

function stateOf<Around>(
  { transitionFields = [] }: ResourceDefinition<Around>,
  before: StoredRecord | undefined,
): FieldValues {
  return before === undefined ? {} : Object.fromEntries(transitionFields.map((name) => [name, before[name]]));
}

/** What of the tenant a draft depends on: its catalogue and rules, who owns what names no owner, which ids are strange. */
async function loadContext<Around>(
  { model, loadRelated }: ResourceDefinition<Around>,
  before: StoredRecord | undefined,
  { caller: { tenantId }, body }: EndpointCall,
  { storage }: Context,
) {
  const input = body as FieldValues;
  const where = { entity: model.kind };
  // What the record refers to already it keeps, and an id that is sent again is of that sort.
  const kept = before === undefined ? [] : collectReferences(model, before).map(({ kind, id }) => kind + id);
  const referrals = collectReferences(model, input).filter(({ kind, id }) => !kept.includes(kind + id));
  const asked = [
    model.fields.customFields === undefined ? [] : storage.list(tenantId, "customField", { where }),
    storage.list(tenantId, "rule", { where }),
    before === undefined ? ownerOf(model, input, tenantId, storage) : {},
    loadRelated?.(input, before, tenantId, storage) as Promise<Around>,
    checkReferences(storage, tenantId, referrals),
  ] as const;
  const [catalog, rules, owner, surroundings, strange] = await Promise.all(asked);
  return { catalog, rules, owner, loadRelated: surroundings, strange };
}

/** What the host's rules say. They get copies: what is kept is what was checked. */
async function runHostRules(
  kind: Kind,
  after: FieldValues,
  before: StoredRecord | undefined,
  { caller }: EndpointCall,
  { rules }: Context,
): Promise<ValidationIssue[]> {
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
function isProblem(problem: FieldError): boolean {
  const { path, code, message } = Object(problem) as FieldError;
  return typeof path === "string" && typeof message === "string" && fieldErrorCodes.includes(code);
}

/** The custom fields after the merge, for kinds that have them, and whether anything is wrong with them. */
function customOf(
  model: Model<Kind>,
  input: FieldValues,
  before: StoredRecord | undefined,
  catalog: readonly CustomField[],
): { values?: CustomFieldValues; findings: readonly ValidationIssue[] } {
  if (model.fields.customFields === undefined) return { findings: [] };
  const sent = (input.customFields ?? {}) as CustomFieldValues;
  const stored = (before?.customFields ?? {}) as CustomFieldValues;
  const merged = mergeCustomFieldValues(catalog, sent, stored);
  if (before !== undefined) return merged;
  const missing = checkRequiredCustomFields(catalog, { customFields: merged.values });
  return { ...merged, findings: [...merged.findings, ...withoutReported(missing, merged.findings)] };
}

/** A field that was sent and is wrong, or has a wrong entry, is not told to be missing too. */
function withoutReported(
  missing: readonly ValidationIssue[],
  told: readonly ValidationIssue[],
): readonly ValidationIssue[] {
  const paths = told.map(({ problem }) => `${problem.path}/`);
  return missing.filter(({ problem }) => !paths.some((path) => path.startsWith(`${problem.path}/`)));
}

/** An owner who is not named is the tenant's oldest active admin; undefined where there is none. */
async function ownerOf(
  model: Model<Kind>,
  sent: FieldValues,
  tenantId: string,
  storage: Context["storage"],
): Promise<FieldValues | undefined> {
  if (model.fields.ownerId === undefined || sent.ownerId !== undefined) return {};
  const users = await storage.list(tenantId, "user", { where: { role: "admin", active: true } });
  const oldest = users.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
  return oldest === undefined ? undefined : { ownerId: oldest.id };
}

function withoutAdmin(): ApiError {
  const message = "An owner is needed, and the tenant has no active administrator to be it. Send ownerId.";
  return new ApiError("tenant_without_admin", message);
}
