/**
 * Ends the first process of a container on a signal that no command handles yet. The system does that for every other
 * process, but ignores the signal for this one. The package contains this module twice.
 */
if (process.pid === 1 && process.listenerCount("SIGTERM") === 0)
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });

export {};
