import type { Writable } from "node:stream";
import { Presets, SingleBar } from "cli-progress";
import type { ProgramProcess } from "../cli/program-process.ts";

/** A progress display on stderr. */
export type ProgressBar = { update(rows: number, rejected?: number): void; end(): void };

const lineIntervalMs = 5_000;

/** Shows a bar on a terminal if the total is known, else prints a line every 5 seconds. */
export function showProgress({ stderr }: ProgramProcess, action: string, total: number | undefined): ProgressBar {
  return stderr.isTTY === true && total !== undefined ? bar(stderr, action, total) : lines(stderr, action, total);
}

function bar(stream: Writable, action: string, total: number): ProgressBar {
  const format = `${action} {bar} {percentage}% | {value} of {total} rows, {rejected} rejected | {eta_formatted} left`;
  const display = new SingleBar(
    { stream, format, hideCursor: false, clearOnComplete: true, barsize: 24, etaBuffer: 50 },
    Presets.shades_classic,
  );
  display.start(total, 0, { rejected: 0 });
  return { update: (rows, rejected = 0) => display.update(rows, { rejected }), end: () => display.stop() };
}

function lines(stderr: Writable, action: string, total: number | undefined): ProgressBar {
  let last = performance.now();
  const all = total === undefined ? "" : ` of ${total}`;
  return {
    update(rows, rejected) {
      if (performance.now() - last < lineIntervalMs) return;
      last = performance.now();
      const rejectedText = rejected === undefined ? "" : `, ${rejected} rejected`;
      stderr.write(`${action}: ${rows}${all} rows${rejectedText}\n`);
    },
    end() {},
  };
}
