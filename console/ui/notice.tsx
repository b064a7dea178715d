import type { CrmError } from "crm-integrations/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { href, takeCreated } from "../route.ts";
import { texts } from "../texts.ts";
import { describeError } from "./error-text.ts";

/** Explains an error. With `focus`, it gets the focus when the error changes. */
export function ErrorNotice(props: {
  readonly error: CrmError;
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
      {!hidesMessage && <ErrorMessage error={error} />}
      {props.children}
      {error.requestId !== null && (
        <p class="help">
          {texts.errors.requestId}: {/* In another tab, because a form can have changes that aren't saved. */}
          <a href={href(["requests", error.requestId])} target="_blank" rel="noopener">
            {error.requestId}
          </a>
        </p>
      )}
    </div>
  );
}

/** The explanation, and the message of the API if it says more. */
function ErrorMessage({ error }: { readonly error: CrmError }) {
  if (error.status === 0 && error.code === "network") return <p>{texts.errors.network}</p>;
  const { text, message } = describeError(error);
  return (
    <>
      <p>{text}</p>
      {message !== undefined && (
        <p class="help" lang="en">
          {message}
        </p>
      )}
    </>
  );
}

type NoticeProps = { readonly class?: string; readonly focus?: boolean; readonly children: ComponentChildren };

/** Says something. Screen readers announce it. With `focus`, it gets the focus when it appears. */
export function Notice({ class: name = "", focus, children }: NoticeProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) box.current?.focus();
  }, [focus]);
  return (
    <div class={`notice ${name}`} role="status" tabIndex={-1} ref={box}>
      {children}
    </div>
  );
}

export type ShowMessage = (text: string | undefined, isSuccess?: boolean) => void;

/**
 * Returns a notice that something succeeded or failed, if there is a text, and the function that replaces the text. The
 * first text says that the user has just created the record of the screen. The notice appears again if the same text is
 * set again. It gets the focus, but the first one leaves it to the title of the new screen.
 */
export function useMessage(): [notice: ComponentChildren, show: ShowMessage] {
  const [message, setMessage] = useState(() => {
    return { text: takeCreated() ? texts.setUp.created : undefined, isSuccess: true, key: 0 };
  });
  const show: ShowMessage = (text, isSuccess = true) => setMessage(({ key }) => ({ text, isSuccess, key: key + 1 }));
  const notice = message.text !== undefined && (
    <Notice key={message.key} class={message.isSuccess ? "success" : "error"} focus={message.key > 0}>
      {message.text}
    </Notice>
  );
  return [notice, show];
}

/** Gray bars in place of what is loading. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{texts.loading}</span>
    </div>
  );
}

type LoadStatusProps = { readonly of: { readonly value: unknown; readonly error: CrmError | undefined } };

/** The error of a request, or that it is running. The value is shown after it. */
export function LoadStatus({ of: { value, error } }: LoadStatusProps) {
  if (error) return <ErrorNotice error={error} />;
  return value === undefined ? <Loading /> : null;
}
