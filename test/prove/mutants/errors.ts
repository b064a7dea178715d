// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

/** Everything that is wrong, at once, in words that help. */
export const words = [
  fault(
    "only the first problem",
    "lib/model/errors.ts",
    "const errors = takeWithinBytes(shortened, maxErrorsBytes);",
    "const errors = shortened.slice(0, 1);",
    ["errors-shape"],
  ),
  fault("messages of any length", "lib/model/errors.ts", "message.length <= maxMessageLength", "true", ["errors-help"]),
  fault("an error as long as it gets", "lib/model/errors.ts", "bytes > maxBytes && index > 0", "false", [
    "custom-values-errors",
  ]),
  fault(
    "the validator's own words",
    "lib/model/validate.ts",
    'issue.message.startsWith("must ") ? issue.message : `must be ${article(issue.expected)}`',
    "issue.message",
    ["errors-help"],
  ),
  fault("the last of two equal keys", "lib/model/parse-json.ts", "if (level.keys.has(key))", "if (false)", [
    "errors-body",
  ]),
  fault(
    "as deep as it goes",
    "lib/model/parse-json.ts",
    "if (levels.push(level) > maxDepth)",
    "if (levels.push(level) < 0)",
    ["errors-body", "prove/bad-input-bodies"],
  ),
  fault(
    "unlimited keys in a message",
    "lib/model/parse-json.ts",
    "if (level.count > limits.maxMembers)",
    "if (false)",
    ["body-limits"],
  ),
  fault(
    "unlimited values in a message",
    "lib/model/parse-json.ts",
    "if (state.total > limits.maxTotalMembers)",
    "if (false)",
    ["body-limits"],
  ),
  fault("a repeated key before a carriage return", "lib/model/parse-json.ts", " || code === 0x0d", "", ["body-limits"]),
  fault("broken UTF-8 put right", "lib/model/parse-json.ts", "{ fatal: true }", "{ fatal: false }", [
    "errors-body",
    "prove/bad-input-bodies",
  ]),
  fault(
    "an unknown key let through",
    "lib/model/validate.ts",
    'problems.push({ path: jsonPointer([...path, key], root), code: "unknown_key", message, allowed });',
    "",
    ["errors-shape", "input"],
  ),
  fault(
    "31 February",
    "lib/model/date-time.ts",
    "return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);",
    "return true;",
    ["input-times", "input"],
  ),
  fault(
    "a stack in the response",
    "lib/http/http-response.ts",
    "const message = `Internal error.",
    "const message = (error as Error).stack ?? `Internal error.",
    ["errors-faults"],
  ),
  fault("a parameter given twice", "lib/http/paths.ts", "else if (name in values)", "else if (false)", [
    "errors",
    "prove/bad-input-queries",
  ]),
  fault(
    "a text for a number in a custom field",
    "lib/api/rules/custom-field-values.ts",
    'if (typeof value !== "number") return invalid("invalid_type", field, "must be a number");',
    "",
    ["custom-values", "prove/bad-input-custom-sorts"],
  ),
  fault(
    "an option stored with the case of the request",
    "lib/api/rules/custom-field-values.ts",
    "option === undefined\n    ? { errors: [optionError(field, value, errorCount < maxSuggestions)] }\n    : { value: option }",
    "option === undefined ? { errors: [optionError(field, value, errorCount < maxSuggestions)] } : { value }",
    ["custom-values", "prove/bad-input-custom-fields"],
  ),
  fault(
    "a rule for a status that isn't reached",
    "lib/api/prepare-record.ts",
    "conflict === undefined ? after : {",
    "conflict !== null ? after : {",
    ["opportunities-forbidden"],
  ),
  fault(
    "text of any length folded",
    "lib/api/rules/custom-field-values.ts",
    "value.length > maxLength ? undefined : normalized.get(normalizeCase(value))",
    "normalized.get(normalizeCase(value))",
    ["custom-values-cost"],
  ),
  fault(
    "an outdated updatedAt accepted",
    "lib/api/records.ts",
    "  assertUpdatedAtMatches((call.body as FieldValues).updatedAt, model.kind, before.updatedAt);\n  const after = await",
    "  const after = await",
    ["conditional-requests"],
  ),
  fault("times from the tenant clock", "lib/api/records.ts", "createdAt: now, updatedAt", "createdAt: at, updatedAt", [
    "record-times",
  ]),
  fault(
    "a rule at either of its conditions",
    "lib/api/rules/required-fields.ts",
    "const isMet = defined.every(",
    "const isMet = defined.some(",
    ["rules-edges"],
  ),
  fault(
    "shape errors alone",
    "lib/api/endpoint-request.ts",
    "throw validationError((await endpoint.findIssues?.(call, issues, context)) ?? issues);",
    "throw validationError(issues);",
    ["errors-together"],
  ),
];
