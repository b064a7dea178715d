import { runProgram } from "./run-program.ts";

/**
 * Runs commands of the program in this process, one after the other, and prints their results as a JSON list. A test
 * runs many commands as another user with one start of Node. Usage: `node test/support/run-commands.ts COMMANDS`, where
 * COMMANDS is a JSON list of lists of arguments.
 */
const commands = JSON.parse(process.argv[2] ?? "") as readonly (readonly string[])[];
const results: unknown[] = [];
for (const args of commands) results.push(await runProgram(args));
process.stdout.write(JSON.stringify(results));
