import { InvalidArgumentError } from "commander";
import { UsageError } from "./errors.ts";

/** A setting. Its name determines its flag, its variable `CRM_…` and its key in crm.json. */
export type Setting<T = unknown> = {
  /** Option help: lower case, without a full stop. */
  readonly description: string;
  /** Placeholder for the value in the help. A switch has none. */
  readonly argument?: string;
  /** Accepts several values: a list in crm.json, separated by commas in a variable. */
  readonly many?: true;
  /** The flag takes one value and can be repeated, so that operands can follow it. */
  readonly repeated?: true;
  /** The value is masked in output and can be read from the file that `CRM_…_FILE` names. */
  readonly secret?: true;
  readonly default?: T;
  /** Parses one value. @throws InvalidArgumentError with a message that starts with "must" */
  readonly parse?: (text: string) => unknown;
};

export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings by name. */
export type SettingValues<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

type StringOptions = Pick<Setting, "secret">;

export function booleanSetting(description: string): Setting<boolean> {
  return { description, default: false };
}

export function stringSetting(
  argument: string,
  description: string,
  options?: StringOptions,
): Setting<string | undefined>;
export function stringSetting(
  argument: string,
  description: string,
  options: StringOptions & { default: string },
): Setting<string>;
export function stringSetting(
  argument: string,
  description: string,
  options: StringOptions & { default?: string } = {},
): Setting<unknown> {
  return { argument, description, ...options };
}

export function listSetting(argument: string, description: string): Setting<readonly string[]> {
  return { argument, description, many: true, default: [] };
}

/** Defines a list setting whose flag takes one value and can be repeated. */
export function repeatedSetting(argument: string, description: string): Setting<readonly string[]> {
  return { argument, description, many: true, repeated: true, default: [], parse: (text) => text };
}

export function enumSetting<const T extends string>(
  options: readonly T[],
  description: string,
  preset: NoInfer<T>,
): Setting<T> {
  const parse = (text: string): T => {
    const option = options.find((each) => each === text);
    if (option === undefined) throw new InvalidArgumentError(`must be one of: ${options.join(", ")}.`);
    return option;
  };
  return { argument: options.join("|"), description, default: preset, parse };
}

export function integerSetting(
  argument: string,
  description: string,
  { min, max, preset }: { readonly min: number; readonly max: number; readonly preset: number },
): Setting<number> {
  const parse = (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`must be an integer from ${min} to ${max}.`);
  };
  return { argument, description, default: preset, parse };
}

/** `rateLimit` → `--rate-limit` */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `rateLimit` → `CRM_RATE_LIMIT` */
export function variableOf(name: string): string {
  return `CRM_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Parses HOST:PORT. The default host is 127.0.0.1. @throws UsageError that names the option */
export function parseAddress(text: string, option: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65535)
    throw new UsageError(`${option} must be HOST:PORT, such as 127.0.0.1:8080, not "${text}".`);
  return { host: match[1] ?? (match[2] || "127.0.0.1"), port };
}

/** Returns whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}
