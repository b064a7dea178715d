import { command, type ProgramCommand } from "../cli/command.ts";
import { flagOf } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";

/** A command as a shell completes it: the words that lead to it, and its flags. */
type Words = { readonly name: string; readonly flags: readonly string[] };

/** The script of a shell that completes these commands. */
export function completionCommand(commands: () => readonly ProgramCommand[]): ProgramCommand {
  return command({
    name: "completion",
    summary: "Print the completion script of a shell: bash, zsh or fish",
    operands: "<SHELL>",
    settings: {},
    examples: [
      "source <(crm-integrations completion bash)",
      "crm-integrations completion fish > ~/.config/fish/completions/crm-integrations.fish",
    ],
    async run(_values, [shell = ""]) {
      const words = commands().map(({ name, settings }) => {
        return { name, flags: [...Object.keys(settings).map(flagOf), "--help"] };
      });
      const script = scripts[shell];
      if (script === undefined)
        throw new UsageError(`There is no completion for "${shell}": bash, zsh and fish have one.`);
      process.stdout.write(script(words));
    },
  });
}

const scripts: Readonly<Record<string, (words: readonly Words[]) => string>> = { bash, zsh, fish };

const program = "crm-integrations";
const shells = Object.keys(scripts);

function bash(words: readonly Words[]): string {
  const cases = words.map(({ name, flags }) => `    "${name}") words="${flags.join(" ")}" ;;`);
  return `_crm_integrations() {
  local current="\${COMP_WORDS[COMP_CWORD]}" one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[2]}" words path
  path="$one"
  case " ${groupsOf(words).join(" ")} " in *" $one "*) path="$one $two" ;; esac
  case "$path" in
${cases.join("\n")}
    *) words="" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstWords(words).join(" ")}"
  elif [ "$COMP_CWORD" -eq 2 ] || [ "$one $COMP_CWORD" = "help 3" ]; then case "\${COMP_WORDS[COMP_CWORD-1]}" in
${groupsOf(words)
  .map((group) => `    ${group}) words="${secondWords(words, group).join(" ")}" ;;`)
  .join("\n")}
    help) words="${firstWords(words).join(" ")}" ;;
    completion) words="${shells.join(" ")}" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# Where no word fits, the shell completes names of files, with their blanks.
complete -o default -F _crm_integrations ${program}
`;
}

/** zsh runs the script of bash. */
function zsh(words: readonly Words[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
}

function fish(words: readonly Words[]): string {
  const first = `complete -c ${program} -n __fish_use_subcommand -f -a "${firstWords(words).join(" ")}"`;
  const nested = [
    ...groupsOf(words).map((group) => [group, secondWords(words, group)] as const),
    ["help", firstWords(words).filter((word) => word !== "help")] as const,
    ["completion", shells] as const,
  ];
  const second = nested.map(([word, next]) => {
    const here = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${next.join(" ")}`;
    return `complete -c ${program} -n "${here}" -f -a "${next.join(" ")}"`;
  });
  const flags = words.flatMap((each) =>
    each.flags.map((flag) => {
      const seen = each.name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
      return `complete -c ${program} -n "${seen.join("; and ")}" -l ${flag.slice(2)}`;
    }),
  );
  return `${[first, ...second, ...flags].join("\n")}\n`;
}

function firstWords(words: readonly Words[]): string[] {
  return [...new Set([...words.map(({ name }) => name.split(" ")[0] ?? ""), "help"])];
}

function groupsOf(words: readonly Words[]): string[] {
  return firstWords(words).filter((word) => secondWords(words, word).length > 0);
}

function secondWords(words: readonly Words[], group: string): string[] {
  return words.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}
