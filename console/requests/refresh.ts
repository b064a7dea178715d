import { useEffect } from "preact/hooks";

const refreshMs = 5_000;

/** Calls `reload` every few seconds while the page is visible. */
export function useRefresh(reload: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
}
