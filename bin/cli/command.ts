import type { Writable } from "node:stream";
import { Command, CommanderError, Option } from "commander";
import { suggestName } from "#lib/transfer";
import { type EffectiveSetting, effectiveSettings } from "./configuration.ts";
import { UsageError } from "./errors.ts";
import { maskKeys } from "./format.ts";
import type { ProgramProcess } from "./program-process.ts";
import { flagOf, type Setting, type Settings, type SettingValues, stringSetting } from "./setting.ts";
import { unknownVariables } from "./unknown-variables.ts";

/** The description of a command: the source of the help, of the completion scripts and of the CLI reference. */
type CommandInfo<S extends Settings = Settings> = {
  /** One word, or the name of a group and one word. */
  readonly name: string;
  /** Imperative, without a full stop. */
  readonly summary: string;
  /** Sentences that only the help of the command shows. */
  readonly details?: string;
  /** The arguments after the options, such as `FILE...`, in brackets if optional. */
  readonly operands?: string;
  readonly settings: S;
  /** Command lines that work. */
  readonly examples: readonly string[];
  /** The command logs the warnings instead of printing them. */
  readonly logsWarnings?: true;
};

/** A command and its code. */
export type CommandDefinition<S extends Settings> = CommandInfo<S> & {
  /** `origins` has the value and the source of each setting, `warnings` one sentence for each unknown variable. */
  run(
    values: SettingValues<S>,
    operands: readonly string[],
    program: ProgramProcess,
    origins: Readonly<Record<string, EffectiveSetting>>,
    warnings: readonly string[],
  ): Promise<void>;
};

/** A command that `runProgram` can run. */
export type ProgramCommand = CommandInfo & {
  /** `known` has the settings of all commands, which crm.json can contain. */
  toCommander(known: Settings, program: ProgramProcess): Command;
};

const commonSettings = {
  config: stringSetting("FILE", "configuration file in JSON (default: crm.json in the current folder, if it exists)"),
};

/** Defines a command. Its settings come from flags, variables and crm.json. */
export function command<const S extends Settings>(definition: CommandDefinition<S>): ProgramCommand {
  const { run, ...info } = definition;
  const { name, summary, details, operands, examples, logsWarnings } = info;
  const settings: Settings = { ...info.settings, ...commonSettings };
  const toCommander: ProgramCommand["toCommander"] = (known, program) => {
    const parser = new Command(name.split(" ").at(-1))
      .summary(summary)
      .description([`${summary}.`, details ?? []].flat().join(" "));
    for (const [key, setting] of Object.entries(settings)) parser.addOption(toOption(key, setting));
    if (operands !== undefined) parser.arguments(operands);
    parser.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
    parser.action(async (...args: unknown[]) => {
      // commander passes the operands, then the options and the command.
      const operandValues = args.slice(0, -2).flatMap((operand) => operand ?? []);
      const warnings = unknownVariables(program.env, known);
      if (!logsWarnings) for (const warning of warnings) program.stderr.write(`crm-integrations: ${warning}\n`);
      const origins = effectiveSettings(settings, parser.opts(), program.env, Object.keys(known));
      const values = Object.fromEntries(Object.entries(origins).map(([key, { value }]) => [key, value]));
      await run(values as SettingValues<S>, operandValues as string[], program, origins, warnings);
    });
    return parser;
  };
  return { ...info, settings, toCommander };
}

/**
 * Runs the command in the arguments.
 * @throws UsageError if the command is unknown, or its options or operands are invalid
 */
export async function runProgram(
  info: { readonly name: string; readonly summary: string; readonly version: string; readonly epilogue: string },
  commands: readonly ProgramCommand[],
  args: readonly string[],
  program: ProgramProcess,
): Promise<void> {
  const root = new Command(info.name).description(info.summary).version(info.version, "--version");
  const known: Settings = Object.assign({}, ...commands.map(({ settings }) => settings));
  for (const each of commands) groupOf(root, each.name).addCommand(each.toCommander(known, program));
  root.helpCommand("help [command]", "show the help of a command").addHelpText("after", `\n${info.epilogue}`);
  for (const each of [root, ...root.commands, ...root.commands.flatMap((group) => group.commands)]) {
    each
      .exitOverride()
      .configureOutput({ writeOut: print(program.stdout), writeErr: print(program.stderr), outputError: () => {} })
      .helpOption("-h, --help", "show this help");
  }
  const [first, ...rest] = args;
  if (first === undefined) return root.outputHelp();
  if (first === "help") return findCommand(root, rest).outputHelp();
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw new UsageError(
      error.code === "commander.help" ? "Missing subcommand. Run with --help for a list." : toSentence(error.message),
    );
  }
}

function print(stream: Writable): (text: string) => void {
  return (text) => void stream.write(text);
}

/** Finds the command for `help COMMAND`. @throws UsageError if a name is unknown */
function findCommand(root: Command, names: readonly string[]): Command {
  let [found, path]: [Command, string] = [root, ""];
  for (const name of names.filter((each) => !each.startsWith("-"))) {
    path = `${path} ${name}`.trimStart();
    const next = found.commands.find((each) => each.name() === name);
    if (next === undefined) {
      const known = found.commands.map((each) => each.name());
      throw new UsageError(maskKeys(`Unknown command "${path.slice(0, 100)}"${suggestName(name, known)}.`));
    }
    found = next;
  }
  return found;
}

/** Returns the parent of a command: the program, or a group, which is created on first use. */
function groupOf(root: Command, name: string): Command {
  const [first = "", second] = name.split(" ");
  if (second === undefined) return root;
  const existing = root.commands.find((each) => each.name() === first);
  if (existing !== undefined) return existing;
  const group = new Command(first).description(groups[first] ?? "").helpCommand(false);
  root.addCommand(group);
  return group;
}

const groups: Readonly<Record<string, string>> = {
  key: "Create, list, rotate and revoke the API keys of a tenant",
  tenant: "Create, list, rename, archive, restore and remove tenants",
  postgres: "Distribute a PostgreSQL database with Citus",
  source: "Print sources for data pipelines: dlt or Airbyte",
  user: "Add, list, disable and enable the users of a tenant",
};

function toOption(name: string, setting: Setting): Option {
  const { argument, many, repeated, parse, description } = setting;
  const placeholder = argument === undefined ? "" : ` <${argument}${many === true && repeated !== true ? "..." : ""}>`;
  const preset = defaultText(setting);
  const option = new Option(
    `${flagOf(name)}${placeholder}`,
    preset === undefined ? description : `${description} (default: ${preset})`,
  );
  // Commander must not know the default, because a variable or crm.json can replace it.
  if (parse === undefined) return option;
  return option.argParser((text: string, previous: unknown) => {
    return many === true ? [...((previous as unknown[] | undefined) ?? []), parse(text)] : parse(text);
  });
}

/** Returns the default of a setting for help texts. A switch that is off and an empty list have none. */
export function defaultText({ default: preset }: Setting): string | undefined {
  return preset === undefined || preset === false || Array.isArray(preset) ? undefined : String(preset);
}

/** Turns a message of commander into one line that starts with a capital letter. */
function toSentence(message: string): string {
  const line = maskKeys(message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ")).replace("is invalid. must", "must");
  return line.charAt(0).toUpperCase() + line.slice(1);
}
