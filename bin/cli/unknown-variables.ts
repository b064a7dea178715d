import { suggestName } from "#lib/transfer";
import { type Settings, variableOf } from "./setting.ts";

const prefix = "CRM_";
/** Kubernetes, and the links of Docker, set such variables for a service whose name begins with `crm`. */
const serviceVariable = /_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP|SCTP)|ENV)(?:_|$)/;
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;

/**
 * Returns a warning for each variable that begins with `CRM_` and isn't the variable of a setting. It isn't an error,
 * because other programs can have such variables.
 */
export function unknownVariables(environment: NodeJS.ProcessEnv, settings: Settings): readonly string[] {
  const known = Object.entries(settings).flatMap(([name, { secret }]) => {
    const variable = variableOf(name);
    return secret === true ? [variable, `${variable}_FILE`] : [variable];
  });
  // The prefix would make short names similar.
  const names = known.map((variable) => variable.slice(prefix.length));
  return Object.entries(environment)
    .filter(([variable]) => variable.startsWith(prefix) && !known.includes(variable))
    .filter(([variable, value = ""]) => !serviceVariable.test(variable) && !serviceAddress.test(value))
    .map(([variable]) => {
      const suggestion = suggestName(variable.slice(prefix.length), names).replace('"', `"${prefix}`);
      return `${variable} is not a setting${suggestion}.`;
    });
}
