import { pino, stdTimeFunctions } from "pino";
import type { Logger, RequestSummary } from "#lib";
import { LineWriter } from "../cli/line-writer.ts";
import type { LogLevel } from "./log-levels.ts";

/** What the program writes about itself: a line of JSON each, on stderr. Nothing waits for it to be written. */
export type Log = Logger & {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** One line for a request; a fault of ours has another with its stack. */
  request(summary: RequestSummary): void;
  /** For what ends the process: it is written before this returns. */
  fatal(error: unknown): void;
  /** Once all is written, or nobody has read it for a second. */
  close(): Promise<void>;
};

export function openLog(level: LogLevel): Log {
  // pino's own destination tries for ever, at the end of the process, to write to a full disk.
  const stream = new LineWriter(2);
  const lines = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
    },
    stream,
  );
  return {
    error: (fields, message) => lines.error(fields, message),
    warn: (fields, message) => lines.warn(fields, message),
    info: (fields, message) => lines.info(fields, message),
    request: ({ durationMs, ...summary }) => {
      lines.info({ ...summary, durationMs: Math.round(durationMs * 1000) / 1000 }, "request");
    },
    fatal(err) {
      lines.fatal({ err }, "the program ends because of a fault");
      stream.flushSync();
    },
    close: () => stream.close(),
  };
}

/** What an error is, and where; not what drivers hang on it, such as the values that a caller sent. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { type: name, code, message, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
