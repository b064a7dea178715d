// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const file = "lib/endpoints/transitions.ts";
const tests = ["transitions.property", "transitions"];

/** Transitions that differ from the PATCH that they predict. */
export const transitions = [
  ...faults(file, tests, [
    [
      "transitions to a status without checks",
      "await prepareRecord(definition, before, call, context);",
      'if (!("status" in (call.body as object))) await prepareRecord(definition, before, call, context);',
    ],
    [
      "transitions without host rules",
      "storage: { ...reads, ...deriveJsonReads(reads) } }",
      "storage: { ...reads, ...deriveJsonReads(reads) }, rules: {} }",
    ],
    ["stages of any pipeline", "{ where: { pipelineId } }", "{}"],
    ["transitions to an unknown pipeline", "if (issues.length > 0)", "if (issues.length > 9)", "transitions"],
  ]),
  ...faults(
    "lib/storage/cached-reads.ts",
    [...tests, "batch"],
    [
      [
        "a cache that takes one record for another",
        "cached(`${tenant} ${kind} ${id}`, read)",
        "cached(`${tenant} ${kind}`, read)",
      ],
    ],
  ),
  ...faults(
    "lib/api/rules/body-schema.ts",
    ["body-schemas", "body-schemas.property"],
    [
      [
        "a schema without the rules",
        "rules.filter((rule) => applies(rule, purpose))",
        "rules.filter((rule) => rule.when !== null && applies(rule, purpose))",
      ],
      ["a schema that ignores the stage of a rule", "isIn(when.stageIds, stage?.id) && isIn", "isIn"],
    ],
  ),
];
