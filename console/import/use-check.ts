import type { CrmError } from "crm-integrations/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { toCrmError } from "../ui/load.ts";
import { type RunInput, type RunState, runRows } from "./run.ts";

/** A check of this many rows takes 50 requests of the 300 that a session can send in a minute. */
export const maxCheckedRows = 5_000;
/** Time after the last change. */
const delayMs = 400;

export type Check = {
  /** The last complete check. */
  readonly state: RunState | undefined;
  /** The rows that the current check has completed. Undefined if none runs. */
  readonly checkedRows: number | undefined;
  readonly error: CrmError | undefined;
};

/** Checks the rows after each change of the options, unless it is paused. The last result stays until the next is complete. */
export function useCheck(input: RunInput, isPaused: boolean, maxRows: number): Check {
  const { entity, file, options } = input;
  const [check, setCheck] = useState<Check>({ state: undefined, checkedRows: undefined, error: undefined });
  const latest = useRef(input);
  latest.current = input;
  const key = JSON.stringify([entity, file.hash, file.delimiter, file.encoding, options, maxRows]);
  useEffect(() => {
    setCheck(({ state }) => ({ state, checkedRows: isPaused ? undefined : 0, error: undefined }));
    if (isPaused) return;
    const controller = new AbortController();
    const { signal } = controller;
    let done: RunState | undefined;
    const start = async (): Promise<void> => {
      await runRows(latest.current, { dryRun: true, maxRows }, signal, (next) => {
        done = next;
        if (!signal.aborted) setCheck(({ state }) => ({ state, checkedRows: next.rows, error: undefined }));
      });
      if (!signal.aborted) setCheck({ state: done, checkedRows: undefined, error: undefined });
    };
    const timer = setTimeout(() => {
      start().catch((error) => {
        if (!signal.aborted) setCheck({ state: undefined, checkedRows: undefined, error: toCrmError(error) });
      });
    }, delayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, isPaused]);
  return check;
}
