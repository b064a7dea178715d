// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const file = "lib/endpoints/transitions.ts";
const tests = ["transitions.property", "transitions"];

/** Transitions that differ from the PATCH that they predict. */
export const transitions = [
  fault(
    "transitions to a status without checks",
    file,
    "await prepareRecord(definition, before, call, context);",
    'if (!("status" in (call.body as object))) await prepareRecord(definition, before, call, context);',
    tests,
  ),
  fault(
    "transitions without host rules",
    file,
    "storage: { ...reads, ...deriveJsonReads(reads) } }",
    "storage: { ...reads, ...deriveJsonReads(reads) }, rules: {} }",
    tests,
  ),
  fault(
    "a cache that takes one record for another",
    "lib/storage/cached-reads.ts",
    "cached(`${tenant} ${kind} ${id}`, read)",
    "cached(`${tenant} ${kind}`, read)",
    [...tests, "batch"],
  ),
  fault("stages of any pipeline", file, "{ where: { pipelineId } }", "{}", tests),
  fault("transitions to an unknown pipeline", file, "if (issues.length > 0)", "if (issues.length > 9)", [
    "transitions",
  ]),
  fault(
    "a schema without the rules",
    "lib/api/rules/body-schema.ts",
    "rules.filter((rule) => applies(rule, purpose))",
    "rules.filter((rule) => rule.when !== null && applies(rule, purpose))",
    ["body-schemas", "body-schemas.property"],
  ),
  fault(
    "a schema that ignores the stage of a rule",
    "lib/api/rules/body-schema.ts",
    "isIn(when.stageIds, stage?.id) && isIn",
    "isIn",
    ["body-schemas", "body-schemas.property"],
  ),
];
