import type { Logger } from "../lib/index.ts";

/** Faults of ours, a line of JSON each, on stderr. */
export const logger: Logger = {
  error(fields, message) {
    const err = fields.err;
    const text = err instanceof Error ? err.stack : String(err);
    process.stderr.write(
      `${JSON.stringify({ level: "error", time: new Date().toISOString(), message, ...fields, err: text })}\n`,
    );
  },
};
