import { isSea } from "node:sea";

/** Options of Node for the program. A smaller young generation (32 MiB, not 128) keeps memory use low. */
export const nodeOptions: readonly string[] = ["--max-semi-space-size=16"];

/** Returns the command that starts this program again, from source, from the package or as a binary. */
export function programCommandLine(): readonly [program: string, ...args: string[]] {
  const [, script = ""] = process.argv;
  // A second process can't use the debugger port.
  const options = process.execArgv.filter((option) => !option.startsWith("--inspect"));
  return isSea() ? [process.execPath] : [process.execPath, ...options, script];
}

/** Returns the environment without `CRM_` variables, so that a child process follows its arguments only. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CRM_")));
}
