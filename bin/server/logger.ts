import { pino, stdTimeFunctions } from "pino";
import type { Logger, RequestSummary } from "#lib";
import { LineWriter } from "../cli/line-writer.ts";

/** The log of the server: JSON lines on stderr, written in the background. */
export type Log = Logger & {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs one line per request. An internal error is logged separately, with its stack. */
  request(summary: RequestSummary): void;
  /** Logs an error that ends the process. The line is written before this returns. */
  fatal(error: unknown): void;
  /** Waits until all lines are written, at most one second. */
  close(): Promise<void>;
};

/** @param hasAddresses whether the lines of requests have the addresses of clients */
export function openLog(level: string, hasAddresses: boolean): Log {
  // The default destination of pino retries forever at exit if the disk is full.
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
    request: ({ durationMs, remoteAddress, ...summary }) => {
      const address = hasAddresses ? { remoteAddress } : {};
      lines.info({ ...summary, ...address, durationMs: Math.round(durationMs * 1000) / 1000 }, "request");
    },
    fatal(err) {
      lines.fatal({ err }, "fatal error, exiting");
      stream.flushSync();
    },
    close: () => stream.close(),
  };
}

/** Returns the standard fields of an error. Drivers add others, which can contain values of callers. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { type: name, code, message, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
