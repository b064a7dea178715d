import type { HostRules } from "../endpoint.ts";
/** Returns the host's rules. @throws TypeError for an unknown entity or a rule that isn't a function */
export declare function validateHostRules(rules?: HostRules): HostRules;
