import { isSea } from "node:sea";
import type { ProgramProcess } from "./program-process.ts";

/** Options of Node for the program. A smaller young generation (16 MiB, not 128) keeps memory use low. */
export const nodeOptions: readonly string[] = ["--max-semi-space-size=8"];

/** Returns the command that starts this program again, from source, from the package or as a binary. */
export function programCommandLine({
  argv,
  execPath,
  execArgv,
}: ProgramProcess): readonly [program: string, ...args: string[]] {
  const [, script = ""] = argv;
  // A second process can't use the debugger port.
  const options = execArgv.filter((option) => !option.startsWith("--inspect"));
  return isSea() ? [execPath] : [execPath, ...options, script];
}

/** Returns the environment without `CRM_` variables, so that a child process follows its arguments only. */
export function childEnvironment({ env }: ProgramProcess): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("CRM_")));
}
