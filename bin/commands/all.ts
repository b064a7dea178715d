import type { ProgramCommand } from "../command.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { generateCommand } from "./generate.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { keyCommands } from "./key.ts";
import { openApiCommand } from "./openapi.ts";
import { serveCommand } from "./serve.ts";
import { serviceCommand } from "./service.ts";
import { tokenCommand } from "./token.ts";
import { userCommands } from "./user.ts";
import { versionCommand } from "./version.ts";

/** Every command, in the order of the help: to set up and serve first, then to look after it. */
export const commands: readonly ProgramCommand[] = [
  serveCommand,
  initCommand,
  ...keyCommands,
  ...userCommands,
  tokenCommand,
  importCommand,
  generateCommand,
  openApiCommand,
  configCommand,
  serviceCommand,
  completionCommand(() => commands),
  versionCommand,
];
