// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

/** Everything that is wrong, at once, in words that help. */
export const words = [
  ...faults("lib/model/errors.ts", "errors-shape", [
    [
      "only the first problem",
      "const errors = takeWithinBytes(shortened, maxErrorsBytes);",
      "const errors = shortened.slice(0, 1);",
    ],
    ["messages of any length", "message.length <= maxMessageLength", "true", "errors-help"],
    ["an error as long as it gets", "bytes > maxBytes && index > 0", "false", "custom-values-errors"],
  ]),
  ...faults("lib/model/validate.ts", "errors-help", [
    ["the validator's own words", 'issue.message.startsWith("must ")', "true"],
    [
      "an unknown key let through",
      'problems.push({ path: jsonPointer([...path, key], root), code: "unknown_key", ...explained, allowed });',
      "",
      ["errors-shape", "input"],
    ],
  ]),
  ...faults("lib/model/parse-json.ts", "body-limits", [
    ["the last of two equal keys", "if (level.keys.has(key))", "if (false)", "errors-body"],
    [
      "as deep as it goes",
      "if (levels.push(level) > maxDepth)",
      "if (levels.push(level) < 0)",
      ["errors-body", "prove/bad-input-bodies"],
    ],
    ["unlimited keys in a message", "if (level.count > limits.maxMembers)", "if (false)"],
    ["unlimited values in a message", "if (state.total > limits.maxTotalMembers)", "if (false)"],
    ["a repeated key before a carriage return", " || code === 0x0d", ""],
    ["broken UTF-8 put right", "{ fatal: true }", "{ fatal: false }", ["errors-body", "prove/bad-input-bodies"]],
  ]),
  ...faults(
    "lib/model/date-time.ts",
    ["input-times", "input"],
    [["31 February", "return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);", "return true;"]],
  ),
  ...faults("lib/http/http-exchange.ts", "errors-faults", [
    [
      "a stack in the response",
      "const message = `Internal error.",
      "const message = (error as Error).stack ?? `Internal error.",
    ],
  ]),
  ...faults(
    "lib/http/paths.ts",
    ["errors", "prove/bad-input-queries"],
    [["a parameter given twice", "else if (name in values)", "else if (false)"]],
  ),
  ...faults(
    "lib/api/rules/custom-field-values.ts",
    ["custom-values", "prove/bad-input-custom-types"],
    [
      [
        "a text for a number in a custom field",
        'if (typeof value !== "number") return invalid("invalid_type", field, "must be a number");',
        "",
      ],
      [
        "an option stored with the case of the request",
        "option === undefined\n    ? { errors: [optionError(field, value, errorCount < maxSuggestions)] }\n    : { value: option }",
        "option === undefined ? { errors: [optionError(field, value, errorCount < maxSuggestions)] } : { value }",
        ["custom-values", "prove/bad-input-custom-fields"],
      ],
      [
        "text of any length folded",
        "value.length > maxLength ? undefined : normalized.get(normalizeCase(value))",
        "normalized.get(normalizeCase(value))",
        "custom-values-cost",
      ],
    ],
  ),
  ...faults("lib/api/prepare-record.ts", "opportunities-forbidden", [
    ["a rule for a status that isn't reached", "conflict === undefined ? after : {", "conflict !== null ? after : {"],
  ]),
  ...faults("lib/api/records.ts", "conditional-requests", [
    [
      "an outdated updatedAt accepted",
      "  assertUpdatedAtMatches((call.body as FieldValues).updatedAt, model.kind, before.updatedAt);\n  const after = await",
      "  const after = await",
    ],
    ["times from the tenant clock", "createdAt: now, updatedAt", "createdAt: at, updatedAt", "record-times"],
  ]),
  ...faults("lib/api/rules/required-fields.ts", "rules-edges", [
    ["a rule at either of its conditions", "const isMet = defined.every(", "const isMet = defined.some("],
  ]),
  ...faults("lib/api/endpoint-request.ts", "errors-together", [
    [
      "shape errors alone",
      "throw validationError((await endpoint.findIssues?.(call, issues, context)) ?? issues);",
      "throw validationError(issues);",
    ],
  ]),
];
