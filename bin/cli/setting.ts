import { InvalidArgumentError } from "commander";

/** One thing that can be set: by a flag, a variable `CRM_…`, or a key of crm.json, all derived from its name. */
export type Setting<T = unknown> = {
  readonly description: string;
  /** How the value is called in the help; none: it is a switch. */
  readonly argument?: string;
  /** Takes several values; crm.json has a list of them, a variable separates them by commas. */
  readonly many?: true;
  /** Its flag is repeated for each value, and takes one at a time: what follows is the command's own. */
  readonly repeated?: true;
  /** Is masked wherever it is shown, and may be read from the file that `CRM_…_FILE` names. */
  readonly secret?: true;
  readonly default?: T;
  /** From one text. @throws InvalidArgumentError */
  readonly parse?: (text: string) => unknown;
};

export type Settings = Readonly<Record<string, Setting>>;

/** What a command gets: each setting's value by its name. */
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

type More = Pick<Setting, "secret">;

export function booleanSetting(description: string): Setting<boolean> {
  return { description, default: false };
}

export function stringSetting(argument: string, description: string, more?: More): Setting<string | undefined>;
export function stringSetting(argument: string, description: string, more: More & { default: string }): Setting<string>;
export function stringSetting(
  argument: string,
  description: string,
  more: More & { default?: string } = {},
): Setting<unknown> {
  return { argument, description, ...more };
}

export function listSetting(argument: string, description: string): Setting<readonly string[]> {
  return { argument, description, many: true, default: [] };
}

/** Several values, each behind a flag of its own. */
export function repeated(argument: string, description: string): Setting<readonly string[]> {
  return { argument, description, many: true, repeated: true, default: [], parse: (text) => text };
}

export function enumSetting<const T extends string>(
  options: readonly T[],
  description: string,
  preset: NoInfer<T>,
): Setting<T> {
  const parse = (text: string): T => {
    const option = options.find((each) => each === text);
    if (option === undefined) throw new InvalidArgumentError(`It is one of: ${options.join(", ")}.`);
    return option;
  };
  return { argument: options.join("|"), description, default: preset, parse };
}

/** A whole number of whatever the description says. */
export function integerSetting(
  argument: string,
  description: string,
  { min, max, preset }: { readonly min: number; readonly max: number; readonly preset: number },
): Setting<number> {
  const parse = (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
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
