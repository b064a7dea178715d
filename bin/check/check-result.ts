/** One thing that was looked at. The message of one that is not ok says the way out. */
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
