import { Command, CommanderError, Option } from "commander";
import { suggestName } from "../import/suggest-name.ts";
import { type Effective, effective } from "./configuration.ts";
import { masked } from "./mask.ts";
import { flagOf, type Setting, type Settings, stringSetting, type Values } from "./setting.ts";
import { UsageError } from "./usage.ts";

/** One command of the program, as its help shows it. */
export type CommandDeclaration<S extends Settings> = {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Sentences that only the command's own help has. */
  readonly more?: string;
  /** What stands after the options, such as `FILE...`; brackets where it may be left out. */
  readonly operands?: string;
  readonly settings: S;
  /** Calls that work, one a line. */
  readonly examples: readonly string[];
  /** Told where each value was said, too. */
  run(values: Values<S>, operands: readonly string[], origins: Readonly<Record<string, Effective>>): Promise<void>;
};

/** A command that is ready to be part of the program. Two words: the first names a group. */
export type ProgramCommand = {
  readonly name: string;
  readonly settings: Settings;
  toCommander(known: readonly string[]): Command;
};

const common = {
  config: stringSetting("FILE", "settings as JSON (default: crm.json in the current folder, if there)"),
};

/** Declares a command. Its settings come from flags, variables and crm.json alike. */
export function command<const S extends Settings>(declared: CommandDeclaration<S>): ProgramCommand {
  const settings: Settings = { ...declared.settings, ...common };
  const toCommander = (known: readonly string[]): Command => {
    const made = new Command(declared.name.split(" ").at(-1))
      .summary(declared.summary)
      .description([`${declared.summary}.`, declared.more ?? []].flat().join(" "));
    for (const [name, setting] of Object.entries(settings)) made.addOption(optionOf(name, setting));
    if (declared.operands !== undefined) made.argument(declared.operands.replace(/^(\[?)(\w+)/, "$1$2"));
    made.addHelpText("after", `\nExamples:\n${declared.examples.map((line) => `  ${line}`).join("\n")}`);
    made.action(async (...given: unknown[]) => {
      const operands = declared.operands === undefined ? [] : [given[0] ?? []].flat();
      const found = effective(settings, made.opts(), process.env, known);
      const values = Object.fromEntries(Object.entries(found).map(([name, { value }]) => [name, value]));
      await declared.run(values as Values<S>, operands as string[], found);
    });
    return made;
  };
  return { name: declared.name, settings, toCommander };
}

/**
 * Runs the command that the arguments name. @throws UsageError where they name none, or one that cannot be so called
 */
export async function runProgram(
  program: { readonly name: string; readonly summary: string; readonly version: string; readonly epilogue: string },
  commands: readonly ProgramCommand[],
  args: readonly string[],
): Promise<void> {
  const root = new Command(program.name).description(program.summary).version(program.version, "--version");
  const known = [...new Set(commands.flatMap(({ settings }) => Object.keys(settings)))];
  for (const each of commands) groupOf(root, each.name).addCommand(each.toCommander(known));
  root.helpCommand("help [command]", "show how a command is called").addHelpText("after", `\n${program.epilogue}`);
  for (const each of [root, ...root.commands, ...root.commands.flatMap((group) => group.commands)]) {
    each
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .helpOption("--help", "show this");
  }
  const [first, ...asked] = args;
  if (first === undefined) return root.outputHelp();
  if (first === "help") return commandOf(root, asked).outputHelp();
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw new UsageError(error.code === "commander.help" ? "Say which of these commands." : sentence(error.message));
  }
}

/** The command that these words lead to. @throws UsageError that names the words that lead nowhere */
function commandOf(root: Command, words: readonly string[]): Command {
  let [found, way]: [Command, string] = [root, ""];
  for (const word of words.filter((each) => !each.startsWith("-"))) {
    way = `${way} ${word}`.trimStart();
    const next = found.commands.find((each) => each.name() === word);
    if (next === undefined) {
      const names = found.commands.map((each) => each.name());
      throw new UsageError(masked(`There is no command "${way.slice(0, 100)}"${suggestName(word, names)}.`));
    }
    found = next;
  }
  return found;
}

/** Where a command stands: under the program, or under the group that the first of its two words names. */
function groupOf(root: Command, name: string): Command {
  const [word = "", more] = name.split(" ");
  if (more === undefined) return root;
  const found = root.commands.find((each) => each.name() === word);
  if (found !== undefined) return found;
  const group = new Command(word).description(groups[word] ?? "").helpCommand(false);
  root.addCommand(group);
  return group;
}
const groups: Readonly<Record<string, string>> = {
  key: "Make, list, rotate and revoke the API keys of a tenant's integrations",
  tenant: "Remove a tenant",
  user: "Add, list, disable and enable the users of a tenant",
};

function optionOf(name: string, setting: Setting): Option {
  const { argument, many, repeated, parse } = setting;
  const value = argument === undefined ? "" : ` <${argument}${many === true && repeated !== true ? "..." : ""}>`;
  const preset = setting.default;
  const shown = preset === undefined || preset === false || Array.isArray(preset) ? "" : ` (default: ${preset})`;
  const option = new Option(`${flagOf(name)}${value}`, `${setting.description}${shown}`);
  // The default is not commander's to know: a flag that was not given leaves the word to the variable and crm.json.
  if (parse === undefined) return option;
  return option.argParser((text: string, before: unknown) => {
    return many === true ? [...((before as unknown[] | undefined) ?? []), parse(text)] : parse(text);
  });
}

/** What commander says, in one line that begins like all others. */
function sentence(message: string): string {
  const line = masked(message.replace(/^error: /, "").replace(/\s*\n\s*/g, " "));
  return line.charAt(0).toUpperCase() + line.slice(1);
}
