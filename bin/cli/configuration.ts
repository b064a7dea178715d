import { existsSync, readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { JsonParseError, parseJsonObject } from "#lib";
import { Failure, UsageError } from "./errors.ts";
import { assertPrivate } from "./private-file.ts";
import { flagOf, type Setting, type Settings, variableOf } from "./setting.ts";
import { systemErrorReason } from "./system-error.ts";

/** The value of a setting and its source: a flag, a variable, a file or `default`. */
export type EffectiveSetting = { readonly value: unknown; readonly origin: string };

/** Read from the current folder if `--config` and CRM_CONFIG are missing. */
const defaultFile = "crm.json";

/**
 * Returns the value of every setting. The first of these sources wins: flag, variable, file that the `_FILE` variable
 * names (secrets only), crm.json, default. An empty variable counts as missing.
 * @throws UsageError if a value is invalid or crm.json has an unknown key
 * @throws Failure if a file can't be read, or other users can read a secret
 */
export function effectiveSettings(
  settings: Settings,
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
): Readonly<Record<string, EffectiveSetting>> {
  const named = typeof flags.config === "string" ? flags.config : environment.CRM_CONFIG || undefined;
  const file = named ?? defaultFile;
  const fileValues = named !== undefined || existsSync(file) ? readConfiguration(file, known) : {};
  const entries = Object.entries(settings).map(([name, setting]): [string, EffectiveSetting] => {
    const variable = variableOf(name);
    const text = environment[variable];
    const secretFile = setting.secret === true ? environment[`${variable}_FILE`] : undefined;
    if (flags[name] !== undefined) {
      for (const each of [flags[name]].flat()) assertNotEmpty(each, flagOf(name));
      return [name, { value: flags[name], origin: flagOf(name) }];
    }
    if (text) return [name, { value: fromText(setting, text, variable), origin: variable }];
    if (secretFile) {
      return [name, { value: readSecret(secretFile), origin: `${variable}_FILE (${secretFile})` }];
    }
    if (Object.hasOwn(fileValues, name)) {
      if (setting.secret === true) assertPrivate(file);
      return [name, { value: fromJson(setting, fileValues[name], `${name} in ${file}`), origin: file }];
    }
    return [name, { value: setting.default, origin: "default" }];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the name of a setting where it was set, such as `--admin-email`, `CRM_ADMIN_EMAIL` or
 * `adminEmail in crm.json`.
 */
export function sourceOf(name: string, origins: Readonly<Record<string, EffectiveSetting>>): string {
  const origin = origins[name]?.origin ?? "";
  return /^(?:--|CRM_)/.test(origin) ? origin : `${name} in ${origin}`;
}

/** @throws UsageError if a key appears twice; JSON.parse would ignore the first value */
function assertUniqueKeys(text: string, file: string): void {
  try {
    parseJsonObject(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    throw new UsageError(error.message.replace("The body", file));
  }
}

function readConfiguration(file: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  let [text, value]: [string, unknown] = ["", undefined];
  try {
    // Some editors add a byte order mark.
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it isn't valid JSON" : systemErrorReason(error);
    throw new Failure(`Cannot read the configuration file ${file}: ${reason}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`The configuration file ${file} must contain one JSON object.`);
  assertUniqueKeys(text, file);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return value as Record<string, unknown>;
  throw new UsageError(`${file} has unknown settings: ${unknown.join(", ")}. Known settings: ${known.join(", ")}.`);
}

function readSecret(file: string): string {
  try {
    assertPrivate(file);
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`Cannot read the secret file ${file}: ${systemErrorReason(error)}.`);
  }
}

function fromText(setting: Setting, text: string, where: string): unknown {
  if (setting.argument === undefined) return parseSwitch(text, where);
  if (setting.many === true) return text.split(",").map((each) => parseValue(setting, each.trim(), where));
  return parseValue(setting, text, where);
}

function fromJson(setting: Setting, value: unknown, where: string): unknown {
  if (setting.argument === undefined && typeof value === "boolean") return value;
  if (setting.many === true && Array.isArray(value))
    return value.map((each) => parseValue(setting, String(each), where));
  if (setting.many !== true && (typeof value === "string" || typeof value === "number")) {
    return fromText(setting, String(value), where);
  }
  const shape = setting.many === true ? "a list" : setting.argument === undefined ? "true or false" : "one value";
  throw new UsageError(`${where} must be ${shape}.`);
}

function parseSwitch(text: string, where: string): boolean {
  if (["true", "1", "yes"].includes(text)) return true;
  if (["false", "0", "no"].includes(text)) return false;
  throw new UsageError(`${where} must be true or false.`);
}

/** An empty path would mean the current folder. @throws UsageError */
function assertNotEmpty(value: unknown, where: string): void {
  if (value === "") throw new UsageError(`${where} must not be empty.`);
}

function parseValue({ parse }: Setting, text: string, where: string): unknown {
  assertNotEmpty(text, where);
  try {
    return parse === undefined ? text : parse(text);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new UsageError(`${where} ${error.message}`) : error;
  }
}
