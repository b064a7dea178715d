import { CrmError } from "crm-integrations/client";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { currentEntry } from "../route.ts";
import { isFocusLost } from "./focus.ts";

/** The state of a request. `reload` sends it again and keeps the old value until the new one is there. */
export type Loaded<T> = {
  readonly value: T | undefined;
  readonly error: CrmError | undefined;
  readonly isLoading: boolean;
  reload(): void;
  /** Replaces the value with the result of a change. */
  set(value: T): void;
};

/**
 * Runs `load` when the component appears, and again when `key` changes. With `cacheName`, the value is cached in the entry
 * of the history, and Back shows it until it is read again.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, key: string, cacheName?: string): Loaded<T> {
  // The address and the key change together.
  const { values } = useMemo(currentEntry, [key]);
  const [state, setState] = useState<{ key: string; value?: T; error?: CrmError }>({ key });
  const isCurrent = state.key === key;
  const [count, setCount] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // Before the browser paints, which takes long on a slow device.
  useLayoutEffect(() => {
    const controller = new AbortController();
    setLoading(true);
    load(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return;
        setState({ key, value });
        setLoading(false);
      },
      (error) => {
        if (controller.signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : {}), key, error: toCrmError(error) }));
        setLoading(false);
      },
    );
    return () => controller.abort();
  }, [key, count]);
  // Before the user can leave the screen.
  useLayoutEffect(() => {
    if (cacheName !== undefined && isCurrent && state.value !== undefined) values.set(cacheName, state.value);
  }, [state]);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  const set = (value: T): void => setState({ key, value });
  const cached = cacheName === undefined ? undefined : (values.get(cacheName) as T | undefined);
  return {
    value: (isCurrent ? state.value : undefined) ?? cached,
    error: isCurrent ? state.error : undefined,
    isLoading,
    reload,
    set,
  };
}

/** Returns a value, and the last one while it is undefined. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  last.current = value ?? last.current;
  return last.current;
}

export function toCrmError(error: unknown): CrmError {
  if (error instanceof CrmError) return error;
  return new CrmError(
    0,
    { error: { code: "unexpected", message: error instanceof Error ? error.message : String(error) } },
    null,
  );
}

/** A request that a button sends. `run` returns undefined if it failed. */
export type Action<A extends readonly unknown[], T> = {
  run(...args: A): Promise<T | undefined>;
  readonly isRunning: boolean;
  readonly error: CrmError | undefined;
  clear(): void;
};

/**
 * Keeps the state of a request that the user starts, and calls `onDone` if it succeeded. A button that is disabled in the
 * meantime gets the focus back.
 */
export function useAction<A extends readonly unknown[], T>(
  send: (...args: A) => Promise<T>,
  onDone?: (result: T, ...args: A) => void,
): Action<A, T> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<CrmError | undefined>();
  const button = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!isRunning && isFocusLost() && button.current instanceof HTMLElement) button.current.focus();
  }, [isRunning]);
  return {
    isRunning,
    error,
    clear: () => setError(undefined),
    async run(...args) {
      if (isRunning) return undefined;
      button.current = document.activeElement;
      setRunning(true);
      setError(undefined);
      let result: T;
      try {
        result = await send(...args);
      } catch (thrown) {
        setError(toCrmError(thrown));
        return undefined;
      } finally {
        setRunning(false);
      }
      onDone?.(result, ...args);
      return result;
    },
  };
}
