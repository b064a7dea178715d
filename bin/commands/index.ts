import type { ProgramCommand } from "../cli/command.ts";
import { applyCommand } from "./apply.ts";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { consoleCommand } from "./console.ts";
import { dumpCommand } from "./dump.ts";
import { exportCommand } from "./export.ts";
import { generateCommand } from "./generate.ts";
import { importCommand } from "./import.ts";
import { initCommand, tenantCreateCommand } from "./init.ts";
import { keyCommands } from "./key.ts";
import { loadCommand } from "./load.ts";
import { mcpCommand } from "./mcp.ts";
import { migrateCommand } from "./migrate.ts";
import { openApiCommand } from "./openapi.ts";
import { postgresDistributeCommand } from "./postgres.ts";
import { requestsCommand } from "./requests.ts";
import { restoreCommand } from "./restore.ts";
import { serveCommand } from "./serve.ts";
import { serviceCommand } from "./service.ts";
import { sourceCommands } from "./source.ts";
import { tenantCommands } from "./tenant.ts";
import { tokenCommand } from "./token.ts";
import { userCommands } from "./user.ts";
import { versionCommand } from "./version.ts";

/** Every command, in the order of the help: setup and server, data, maintenance. */
export const commands: readonly ProgramCommand[] = [
  serveCommand,
  initCommand,
  ...keyCommands,
  ...userCommands,
  tenantCreateCommand,
  ...tenantCommands,
  applyCommand,
  tokenCommand,
  consoleCommand,
  mcpCommand,
  requestsCommand,
  importCommand,
  loadCommand,
  dumpCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  postgresDistributeCommand,
  checkCommand,
  exportCommand,
  generateCommand,
  openApiCommand,
  ...sourceCommands,
  configCommand,
  serviceCommand,
  completionCommand(() => commands),
  versionCommand,
];
