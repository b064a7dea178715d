import type { CustomField, CustomFieldValues } from "../model/custom-field.ts";
import { ApiError, type ValidationIssue, validationError } from "../model/errors.ts";
import { type Kind, models } from "../model/kinds.ts";
import type { FieldValues, Model } from "../model/model.ts";
import { collectReferences, type IdReference } from "../model/references.ts";
import type { Storage } from "../storage/storage.ts";
import type { EndpointCall, HandlerContext } from "./endpoint.ts";
import type { ResourceDefinition, StoredRecord } from "./resource-definition.ts";
import { mergeCustomFieldValues } from "./rules/custom-field-values.ts";
import { runHostRules } from "./rules/host-rules.ts";
import { diffRecord, mergeObjectFields, withDefaults } from "./rules/record-diff.ts";
import { checkRecordSize } from "./rules/record-size.ts";
import { checkRequiredCustomFields, checkRequiredFields } from "./rules/required-fields.ts";
import { sortIssues } from "./rules/sort-issues.ts";

/**
 * Returns the values of a new record (no `before`) or of an updated one. All reads run in parallel.
 * @throws ApiError with all issues of references, custom fields, required fields, the resource and the host rules
 */
export async function prepareRecord<Related>(
  definition: ResourceDefinition<Related>,
  before: StoredRecord | undefined,
  call: EndpointCall,
  context: HandlerContext,
): Promise<FieldValues> {
  const { model } = definition;
  const { after, checked, issues, catalog, owner, conflict } = await checkRecord(definition, before, call, context);
  const allIssues = [...issues, ...(await runHostRules(model.kind, checked, before, call, context))];
  if (allIssues.length > 0) throw validationError(sortIssues(allIssues, model, catalog));
  if (owner === undefined)
    throw new ApiError("tenant_without_admin", "ownerId is required because the tenant has no active admin.");
  if (conflict !== undefined) throw conflict;
  return after;
}

/**
 * Returns the shape issues of a request together with the issues of its valid members. Host rules need a valid record.
 */
export async function findIssues<Related>(
  definition: ResourceDefinition<Related>,
  before: StoredRecord | undefined,
  call: EndpointCall,
  context: HandlerContext,
  shapeIssues: readonly ValidationIssue[],
): Promise<readonly ValidationIssue[]> {
  const invalidFields = new Set(shapeIssues.map(({ problem }) => fieldOfPath(problem.path)));
  const { issues, catalog } = await checkRecord(definition, before, call, context, invalidFields);
  return sortIssues([...shapeIssues, ...issues], definition.model, catalog);
}

/** Checks the new values. Skips fields that are invalid and fields that follow from them. */
async function checkRecord<Related>(
  definition: ResourceDefinition<Related>,
  before: StoredRecord | undefined,
  call: EndpointCall,
  context: HandlerContext,
  invalidFields: ReadonlySet<string> = new Set(),
) {
  const { model, derivedFrom = {} } = definition;
  const isValid = (name: string) => !invalidFields.has(name);
  const input = pickFields(call.body as FieldValues, isValid);
  const loaded = await loadContext(definition, before, input, call, context);
  const now = context.clock.now();
  const { catalog, rules, owner, related, referenceIssues } = loaded;
  const custom = isValid("customFields") ? mergeCustomFields(model, input, before, catalog) : { issues: [] };
  const objects = mergeObjectFields(model, before, input);
  const merged = custom.values === undefined ? objects : { ...objects, customFields: custom.values };
  const diff = before === undefined ? undefined : diffRecord(model, before, merged);
  const values = before === undefined ? { ...withDefaults(model, merged), ...owner } : { ...before, ...diff?.changes };
  const after = definition.deriveFields?.(values, before, input, related, now) ?? values;
  const conflict = definition.checkTransition?.(after, before);
  const isKnown = (name: string) => isValid(name) && (name in input || isValid(derivedFrom[name] ?? name));
  // If the transition is rejected, don't also require the fields of the state that the record doesn't enter.
  const state = conflict === undefined ? after : { ...after, ...currentState(definition, before) };
  const checked = pickFields(state, isKnown);
  const tooLarge = checkRecordSize(model.kind, checked, input);
  const issues: ValidationIssue[] = [
    ...(tooLarge === undefined ? [] : [{ kind: "rule" as const, problem: tooLarge }]),
    ...(diff?.issues ?? []),
    ...referenceIssues,
    ...custom.issues,
    ...(definition.check?.(checked, before, input, related, now) ?? []),
  ];
  const stageName = definition.stageName?.(checked, related);
  const missing = checkRequiredFields(rules, checked, before, { catalog, stageName });
  const found = [...issues, ...withoutReported(missing, issues)];
  const known = found.filter((issue) => referenceIssues.includes(issue) || isKnown(fieldOfPath(issue.problem.path)));
  return { after, checked, issues: known, catalog, owner, conflict };
}

/** Returns the field that a JSON Pointer into the body starts with. */
function fieldOfPath(path: string): string {
  return path.split("/")[1] ?? "";
}

function pickFields(values: FieldValues, isWanted: (name: string) => boolean): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

function currentState<Related>(
  { transitionFields = [] }: ResourceDefinition<Related>,
  before: StoredRecord | undefined,
): FieldValues {
  return before === undefined ? {} : Object.fromEntries(transitionFields.map((name) => [name, before[name]]));
}

/** Loads the catalog, the rules, the default owner and the related records, and checks the references. */
async function loadContext<Related>(
  { model, loadRelated }: ResourceDefinition<Related>,
  before: StoredRecord | undefined,
  input: FieldValues,
  { caller, body }: EndpointCall,
  { storage }: HandlerContext,
) {
  const { tenantId } = caller;
  const where = { entity: model.kind };
  // References that the record already has stay valid, even if the other record was archived.
  const existing = before === undefined ? [] : collectReferences(model, before).map(({ kind, id }) => kind + id);
  const added = collectReferences(model, body as FieldValues).filter(({ kind, id }) => !existing.includes(kind + id));
  const reads = [
    model.fields.customFields === undefined ? [] : storage.list(tenantId, "customField", { where }),
    storage.list(tenantId, "rule", { where }),
    before === undefined ? defaultOwner(model, input, tenantId, storage) : {},
    loadRelated?.(input, before, caller, storage) as Promise<Related>,
    checkReferences(storage, tenantId, added),
  ] as const;
  const [catalog, rules, owner, related, referenceIssues] = await Promise.all(reads);
  return { catalog, rules, owner, related, referenceIssues };
}

/** Merges the custom fields and checks them, if the model has any. */
function mergeCustomFields(
  model: Model<Kind>,
  input: FieldValues,
  before: StoredRecord | undefined,
  catalog: readonly CustomField[],
): { values?: CustomFieldValues; issues: readonly ValidationIssue[] } {
  if (model.fields.customFields === undefined) return { issues: [] };
  const sent = (input.customFields ?? {}) as CustomFieldValues;
  const stored = (before?.customFields ?? {}) as CustomFieldValues;
  const merged = mergeCustomFieldValues(catalog, sent, stored);
  if (before !== undefined) return merged;
  const missing = checkRequiredCustomFields(catalog, { customFields: merged.values });
  return { ...merged, issues: [...merged.issues, ...withoutReported(missing, merged.issues)] };
}

/** Drops fields that already have an error: don't report a field as missing if its value is invalid. */
function withoutReported(
  missing: readonly ValidationIssue[],
  reported: readonly ValidationIssue[],
): readonly ValidationIssue[] {
  const paths = reported.map(({ problem }) => `${problem.path}/`);
  return missing.filter(({ problem }) => !paths.some((path) => path.startsWith(`${problem.path}/`)));
}

/** Returns the tenant's oldest active admin if the input has no owner. Undefined if there is none. */
async function defaultOwner(
  model: Model<Kind>,
  input: FieldValues,
  tenantId: string,
  storage: HandlerContext["storage"],
): Promise<FieldValues | undefined> {
  if (model.fields.ownerId === undefined || input.ownerId !== undefined) return {};
  const admins = await storage.list(tenantId, "user", { where: { role: "admin", active: true } });
  const oldest = admins.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0];
  return oldest === undefined ? undefined : { ownerId: oldest.id };
}

/**
 * Returns an issue for each ID without a record in the tenant, and for each inactive user. Unknown and archived IDs,
 * and IDs of other tenants, get the same message.
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
