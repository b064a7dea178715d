import type { ProgramCommand } from "../command.ts";
import { configCommand } from "./config.ts";
import { initCommand } from "./init.ts";
import { serveCommand } from "./serve.ts";
import { tokenCommand } from "./token.ts";
import { versionCommand } from "./version.ts";

/** Every command, in the order of the help: to set up and serve first, then to look after it. */
export const commands: readonly ProgramCommand[] = [
  serveCommand,
  initCommand,
  tokenCommand,
  configCommand,
  versionCommand,
];
