/** The result of one check. The message of a warning or failure includes the remedy. */
export type CheckResult = {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
};

export function ok(name: string, message: string): CheckResult {
  return { name, state: "ok", message };
}

export function warning(name: string, message: string): CheckResult {
  return { name, state: "warning", message };
}

export function failed(name: string, message: string): CheckResult {
  return { name, state: "failed", message };
}
