import { useEffect, useRef } from "preact/hooks";

const refreshMs = 5_000;

/** Calls `reload` every few seconds while the page is visible. */
export function useRefresh(reload: () => unknown): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || latest.current(), refreshMs);
    return () => clearInterval(timer);
  }, []);
}
