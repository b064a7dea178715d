import { isSea } from "node:sea";

/** The words that start this program once more, whether it runs from its source, built, or as one file. */
export function ownCommand(): readonly [program: string, ...args: string[]] {
  const [, script = ""] = process.argv;
  // A debugger has one port, which is taken.
  const options = process.execArgv.filter((option) => !option.startsWith("--inspect"));
  return isSea() ? [process.execPath] : [process.execPath, ...options, script];
}

/** The environment without what sets this program: who is started so does what it is told and nothing else. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CRM_")));
}
