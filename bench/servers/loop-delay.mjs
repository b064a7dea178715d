// Loaded into a server by the benchmark: at each SIGUSR2 it writes how late the event loop was since the last one.
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on("SIGUSR2", () => {
  // The measured delay includes the resolution.
  const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - 5);
  writeFileSync(process.env.BENCH_DELAY, JSON.stringify({ p99: late(delay.percentile(99)), max: late(delay.max) }));
  delay.reset();
});
