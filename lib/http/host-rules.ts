import type { HostRules } from "../endpoint.ts";

const entities = ["account", "contact", "opportunity", "task"];

/** The host's rules as they are. @throws TypeError where one would never be asked, or cannot be */
export function checkedRules(rules: HostRules = {}): HostRules {
  for (const [name, list] of Object.entries(rules)) {
    if (!entities.includes(name))
      throw new TypeError(`There are no rules for "${name}". There are rules for: ${entities.join(", ")}.`);
    const isList = Array.isArray(list) && list.every((rule) => typeof rule === "function");
    if (list !== undefined && !isList) throw new TypeError(`The rules for ${name} must be a list of functions.`);
  }
  return rules;
}
