import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallError } from "../api.ts";
import { texts } from "../texts.ts";

/** Explains an error. With `focus`, it gets the focus when the error changes. */
export function ErrorNotice(props: {
  readonly error: CallError;
  readonly focus?: boolean;
  /** Whether the children say all that the message says. */
  readonly hidesMessage?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { error, focus, hidesMessage } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) box.current?.focus();
  }, [error, focus]);
  return (
    <div class="notice error" role="alert" tabIndex={-1} ref={box}>
      {!hidesMessage && <p>{error.status === 0 && error.code === "network" ? texts.errors.network : error.message}</p>}
      {props.children}
      {error.requestId !== null && error.status >= 500 && (
        <p class="help">
          {texts.errors.requestId}: {error.requestId}
        </p>
      )}
    </div>
  );
}

/** Says that something succeeded. Screen readers announce it. With `focus`, it gets the focus when it appears. */
export function SuccessNotice(props: { readonly focus?: boolean; readonly children: ComponentChildren }) {
  const { focus, children } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) box.current?.focus();
  }, [focus]);
  return (
    <div class="notice success" role="status" tabIndex={-1} ref={box}>
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      {texts.loading}
    </p>
  );
}
