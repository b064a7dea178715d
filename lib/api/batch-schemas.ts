import * as v from "valibot";
import { type FieldError, validationError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { FieldValues, Model } from "../model/model.ts";
import { capitalize } from "../model/names.ts";
import { describe, jsonSchema, listOf, refine, uuid } from "../model/scalars.ts";
import { archivableSchema } from "../model/schemas.ts";
import { anyObject, matchFields, onlyIfSchema } from "./upsert.ts";

export type Op = "create" | "update" | "upsert" | "archive";
export type Operation = {
  readonly op: Op;
  readonly id?: string;
  readonly matchBy?: string;
  readonly onlyIf?: string;
  readonly data?: FieldValues;
  /** The ID of the record that the operation creates, in an import. */
  readonly newId?: string;
};
export type Batch = { readonly operations: readonly Operation[]; readonly atomic: boolean };

/** Returns the schema of the body of a batch. `data` is the schema of the data of an operation. */
export function batchSchema(
  model: Model<Kind>,
  data: v.GenericSchema,
  { maxOperations, hasNewIds }: { readonly maxOperations: number; readonly hasNewIds: boolean },
) {
  const fields = matchFields(model);
  const ops: Op[] = fields.length === 0 ? ["create", "update", "archive"] : ["create", "update", "upsert", "archive"];
  const matching = {
    matchBy: v.optional(describe(v.picklist(fields), "The field by which an upsert finds the record.")),
    onlyIf: v.optional(onlyIfSchema),
  };
  const entries: Readonly<Record<string, v.GenericSchema>> = {
    op: describe(v.picklist(ops), "The kind of operation."),
    id: v.optional(describe(v.string("must be a string"), "ID of the record to update or archive.")),
    ...(fields.length === 0 ? {} : matching),
    ...(hasNewIds ? { newId: v.optional(uuid) } : {}),
    data: v.optional(data),
  };
  const description = "One operation of a batch.";
  const operation = v.pipe(
    v.strictObject(entries),
    jsonSchema({ title: `${capitalize(model.kind)}Operation`, description }),
  );
  const operations = v.pipe(
    listOf(operation, maxOperations, "must be a list"),
    jsonSchema({ minItems: 1 }),
    refine<Record<string, unknown>[]>("out_of_range", ({ length }) => length > 0, "must have at least one entry"),
  );
  const atomic = describe(v.boolean("must be true or false"), "Whether a failure prevents all writes.");
  return v.pipe(
    v.strictObject({
      operations: describe(operations, "The operations, in order."),
      atomic: v.optional(atomic, false),
    }),
    jsonSchema({ title: `${capitalize(model.kind)}Batch`, description: "The operations of a batch." }),
  );
}

/** Returns the schema of the result of an operation. */
export function batchItemSchema(model: Model<Kind>): v.GenericSchema {
  const error = v.strictObject({
    code: describe(v.string(), "The error code."),
    message: describe(v.string(), "The problem."),
    details: v.optional(describe(anyObject, "More about the problem, such as `errors`.")),
  });
  return v.pipe(
    v.strictObject({
      index: describe(v.pipe(v.number(), v.integer()), "Position of the operation in the request, from 0."),
      status: describe(v.pipe(v.number(), v.integer()), "Status of the single request."),
      result: v.optional(
        describe(v.picklist(["created", "updated", "unchanged", "archived"]), "Present if the operation succeeded."),
      ),
      data: v.optional(archivableSchema(model)),
      error: v.optional(v.pipe(error, jsonSchema({ title: "BatchError", description: "Present if it failed." }))),
    }),
    jsonSchema({ title: `${capitalize(model.kind)}BatchItem`, description: "The result of one operation." }),
  );
}

/** Members that each operation needs, and those that it may have as well. */
const members: Readonly<Record<Op, { readonly required: readonly string[]; readonly optional: readonly string[] }>> = {
  create: { required: ["data"], optional: ["newId"] },
  update: { required: ["id", "data"], optional: [] },
  upsert: { required: ["matchBy", "data"], optional: ["onlyIf"] },
  archive: { required: ["id"], optional: [] },
};

/** @throws ApiError 400 with all operations that lack a member or have one of another operation */
export function assertMembers(operations: readonly Operation[]): void {
  const problems = operations.flatMap((operation, index) => {
    const { required, optional } = members[operation.op];
    const problem = (name: string, code: FieldError["code"], text: string): FieldError => ({
      path: `/operations/${index}/${name}`,
      code,
      message: `operations.${index}.${name} ${text} if op is ${operation.op}.`,
    });
    const missing = required
      .filter((name) => !(name in operation))
      .map((name) => problem(name, "required", "is required"));
    const allowed = ["op", ...required, ...optional];
    const extra = Object.keys(operation).filter((name) => !allowed.includes(name));
    return [...missing, ...extra.map((name) => problem(name, "unknown_key", "isn't allowed"))];
  });
  if (problems.length > 0) throw validationError(problems.map((problem) => ({ kind: "shape", problem })));
}
