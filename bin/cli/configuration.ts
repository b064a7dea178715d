import { existsSync, readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { JsonParseError, parseJsonObject } from "#lib";
import { assertPrivate } from "./secret-file.ts";
import { flagOf, type Setting, type Settings, variableOf } from "./setting.ts";
import { Failure, UsageError } from "./usage.ts";

/** A value, and where it was said. */
export type Effective = { readonly value: unknown; readonly origin: string };

/** The file that is read from the current folder where none is named. */
const fileDefault = "crm.json";

/**
 * Every setting's value: what the flag says, else the variable, else the file that the variable with `_FILE` names
 * (secrets), else crm.json, else the default. A variable that is empty says nothing.
 * @throws UsageError where a value is none, or crm.json has a key that no command knows
 * @throws Failure where a file cannot be read, or others can read a secret
 */
export function effective(
  settings: Settings,
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
): Readonly<Record<string, Effective>> {
  const named = typeof flags.config === "string" ? flags.config : environment.CRM_CONFIG || undefined;
  const file = named ?? fileDefault;
  const written = named !== undefined || existsSync(file) ? readConfiguration(file, known) : {};
  const entries = Object.entries(settings).map(([name, setting]): [string, Effective] => {
    const variable = variableOf(name);
    const said = environment[variable];
    const secretFile = setting.secret === true ? environment[`${variable}_FILE`] : undefined;
    if (flags[name] !== undefined) {
      for (const each of [flags[name]].flat()) assertSaid(each, flagOf(name));
      return [name, { value: flags[name], origin: flagOf(name) }];
    }
    if (said) return [name, { value: fromText(setting, said, variable), origin: variable }];
    if (secretFile) {
      return [name, { value: readSecret(secretFile), origin: `${variable}_FILE (${secretFile})` }];
    }
    if (Object.hasOwn(written, name)) {
      if (setting.secret === true) assertPrivate(file);
      return [name, { value: fromJson(setting, written[name], `${name} in ${file}`), origin: file }];
    }
    return [name, { value: setting.default, origin: "default" }];
  });
  return Object.fromEntries(entries);
}

/** @throws UsageError where a key stands twice, of which the last would count */
function assertSaidOnce(text: string, file: string): void {
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
    // Some editors put a byte order mark before it.
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is not JSON" : (error as NodeJS.ErrnoException).code;
    throw new Failure(`The configuration file ${file} cannot be read: ${why}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`The configuration file ${file} must hold one JSON object.`);
  assertSaidOnce(text, file);
  const strange = Object.keys(value).filter((name) => !known.includes(name));
  if (strange.length === 0) return value as Record<string, unknown>;
  throw new UsageError(
    `${file} has settings that do not exist: ${strange.join(", ")}. There are: ${known.join(", ")}.`,
  );
}

function readSecret(file: string): string {
  try {
    assertPrivate(file);
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The secret file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function fromText(setting: Setting, text: string, where: string): unknown {
  if (setting.argument === undefined) return switchOf(text, where);
  if (setting.many === true) return text.split(",").map((each) => parsed(setting, each.trim(), where));
  return parsed(setting, text, where);
}

function fromJson(setting: Setting, value: unknown, where: string): unknown {
  if (setting.argument === undefined && typeof value === "boolean") return value;
  if (setting.many === true && Array.isArray(value)) return value.map((each) => parsed(setting, String(each), where));
  if (setting.many !== true && (typeof value === "string" || typeof value === "number")) {
    return fromText(setting, String(value), where);
  }
  const shape = setting.many === true ? "a list" : setting.argument === undefined ? "true or false" : "one value";
  throw new UsageError(`${where} must be ${shape}.`);
}

function switchOf(text: string, where: string): boolean {
  if (["true", "1", "yes"].includes(text)) return true;
  if (["false", "0", "no"].includes(text)) return false;
  throw new UsageError(`${where} must be true or false.`);
}

/** An empty folder would be the current one. @throws UsageError */
function assertSaid(value: unknown, where: string): void {
  if (value === "") throw new UsageError(`${where} must not be empty.`);
}

function parsed({ parse }: Setting, text: string, where: string): unknown {
  assertSaid(text, where);
  try {
    return parse === undefined ? text : parse(text);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new UsageError(`${where}: ${error.message}`) : error;
  }
}
