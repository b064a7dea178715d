import { Presets, SingleBar } from "cli-progress";
import type { Counts } from "./progress-file.ts";

/** Shows how far it is, beside the results: a bar on a terminal, a line now and then elsewhere. */
export type ProgressBar = { at(rows: number, rejected?: number): void; end(): void };

const lineEveryMs = 5_000;

/** `total` is undefined where nobody knows how many rows will come. */
export function showProgress(what: string, total: number | undefined): ProgressBar {
  return process.stderr.isTTY === true && total !== undefined ? bar(what, total) : lines(what, total);
}

function bar(what: string, total: number): ProgressBar {
  const format = `${what} {bar} {percentage}% | {value} of {total} rows, {rejected} rejected | {eta_formatted} left`;
  const shown = new SingleBar(
    { format, hideCursor: false, clearOnComplete: true, barsize: 24, etaBuffer: 50 },
    Presets.shades_classic,
  );
  shown.start(total, 0, { rejected: 0 });
  return { at: (rows, rejected = 0) => shown.update(rows, { rejected }), end: () => shown.stop() };
}

function lines(what: string, total: number | undefined): ProgressBar {
  let last = performance.now();
  const all = total === undefined ? "" : ` of ${total}`;
  return {
    at(rows, rejected) {
      if (performance.now() - last < lineEveryMs) return;
      last = performance.now();
      const refused = rejected === undefined ? "" : `, ${rejected} rejected`;
      process.stderr.write(`${what}: ${rows}${all} rows${refused}\n`);
    },
    end() {},
  };
}

/** `created` and the rest, in one line. */
export function countsText({ created, updated, unchanged, rejected }: Counts): string {
  return `created ${created}, updated ${updated}, unchanged ${unchanged}, rejected ${rejected}`;
}
