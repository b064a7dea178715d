import type { Readable, Writable } from "node:stream";

/** The signals and events that a command listens for. */
type ProcessEvent = "SIGINT" | "SIGTERM" | "SIGHUP" | "uncaughtException";

/**
 * The process that a command runs in: that of Node, or a replacement in tests. Commands read and write nothing else of
 * their process.
 */
export type ProgramProcess = {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** The command line of this process, without the options of Node. */
  readonly argv: readonly string[];
  readonly execPath: string;
  /** The options of Node. */
  readonly execArgv: readonly string[];
  once(event: ProcessEvent, listener: (error: Error) => void): unknown;
  off(event: ProcessEvent, listener: (error: Error) => void): unknown;
  /** Ends the program before the command does. */
  exit(code: number): void;
};
