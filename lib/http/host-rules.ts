import type { HostRules } from "../api/endpoint.ts";

const entities = ["account", "contact", "opportunity", "task"];

/** Returns the host's rules. @throws TypeError for an unknown entity or a rule that isn't a function */
export function validateHostRules(rules: HostRules = {}): HostRules {
  for (const [name, list] of Object.entries(rules)) {
    if (!entities.includes(name))
      throw new TypeError(`Unknown entity "${name}" in rules. Known entities: ${entities.join(", ")}.`);
    const isList = Array.isArray(list) && list.every((rule) => typeof rule === "function");
    if (list !== undefined && !isList) throw new TypeError(`rules.${name} must be an array of functions.`);
  }
  return rules;
}
