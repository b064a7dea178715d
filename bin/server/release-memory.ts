import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** Makes `--max-semi-space-size` apply to this thread only. Otherwise, it overrides the limits of workers. */
export function limitWorkerMemory(): void {
  setFlagsFromString("--max-semi-space-size=0");
}

/**
 * Returns memory that only the start needed to the operating system, about 20 MiB. Node would keep it, because it
 * expects to need it again. Blocks the process for less than 0.1 s.
 */
export function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  // Under load, the young generation grows to its former size at once. Otherwise it grows in small steps, and pages
  // take longer.
  setFlagsFromString("--semi-space-growth-factor=16");
  // Under load, V8 can mistake objects of a request for long-lived ones. They keep whole requests alive until the next
  // full collection.
  setFlagsFromString("--no-allocation-site-pretenuring");
  const collect: Collect = runInNewContext("gc");
  collect({ type: "major", flavor: "last-resort" });
}
