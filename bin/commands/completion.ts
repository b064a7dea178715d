import { command, type ProgramCommand } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { flagOf } from "../cli/setting.ts";

/** The name and the flags of a command. */
type Completion = { readonly name: string; readonly flags: readonly string[] };

/** Creates the command. It gets the commands from a function, because it is one of them. */
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
    async run(_values, [shell = ""], { stdout }) {
      const completions = commands().map(({ name, settings }) => {
        return { name, flags: [...Object.keys(settings).map(flagOf), "--help"] };
      });
      const script = scripts[shell];
      if (script === undefined) throw new UsageError(`Unknown shell "${shell}". Supported shells: bash, zsh, fish.`);
      stdout.write(script(completions));
    },
  });
}

const scripts: Readonly<Record<string, (completions: readonly Completion[]) => string>> = { bash, zsh, fish };

const program = "crm-integrations";
const shells = Object.keys(scripts);

function bash(completions: readonly Completion[]): string {
  const cases = completions.map(({ name, flags }) => `    "${name}") words="${flags.join(" ")}" ;;`);
  return `_crm_integrations() {
  local current="\${COMP_WORDS[COMP_CWORD]}" one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[2]}" words path
  path="$one"
  case " ${groupsOf(completions).join(" ")} " in *" $one "*) path="$one $two" ;; esac
  case "$path" in
${cases.join("\n")}
    *) words="" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstNames(completions).join(" ")}"
  elif [ "$COMP_CWORD" -eq 2 ] || [ "$one $COMP_CWORD" = "help 3" ]; then case "\${COMP_WORDS[COMP_CWORD-1]}" in
${groupsOf(completions)
  .map((group) => `    ${group}) words="${secondNames(completions, group).join(" ")}" ;;`)
  .join("\n")}
    help) words="${firstNames(completions).join(" ")}" ;;
    completion) words="${shells.join(" ")}" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# Falls back to file names.
complete -o default -F _crm_integrations ${program}
`;
}

/** zsh can run the bash script. */
function zsh(completions: readonly Completion[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(completions)}`;
}

function fish(completions: readonly Completion[]): string {
  const first = `complete -c ${program} -n __fish_use_subcommand -f -a "${firstNames(completions).join(" ")}"`;
  const nested = [
    ...groupsOf(completions).map((group) => [group, secondNames(completions, group)] as const),
    ["help", firstNames(completions).filter((word) => word !== "help")] as const,
    ["completion", shells] as const,
  ];
  const second = nested.map(([word, next]) => {
    const here = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${next.join(" ")}`;
    return `complete -c ${program} -n "${here}" -f -a "${next.join(" ")}"`;
  });
  const flags = completions.flatMap((each) =>
    each.flags.map((flag) => {
      const seen = each.name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
      return `complete -c ${program} -n "${seen.join("; and ")}" -l ${flag.slice(2)}`;
    }),
  );
  return `${[first, ...second, ...flags].join("\n")}\n`;
}

function firstNames(completions: readonly Completion[]): string[] {
  return [...new Set([...completions.map(({ name }) => name.split(" ")[0] ?? ""), "help"])];
}

function groupsOf(completions: readonly Completion[]): string[] {
  return firstNames(completions).filter((word) => secondNames(completions, word).length > 0);
}

function secondNames(completions: readonly Completion[], group: string): string[] {
  return completions.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}
