import { useEffect, useRef, useState } from "preact/hooks";
import { publicUrl } from "../api.ts";
import { texts } from "../texts.ts";
import { focusTitle } from "../ui/focus.ts";
import { Notice } from "../ui/notice.tsx";
import { useUnsavedChanges } from "../ui/unsaved.ts";

const text = texts.setUp.keys;

type NewSecretProps = {
  readonly title: string;
  readonly help: string;
  /** The texts to copy by their labels. */
  readonly values: Readonly<Record<string, string>>;
  readonly buttonLabel: string;
  onClose(): void;
};

/** A new secret to copy, which can't be shown again. Leaving the screen asks. */
export function NewSecret({ title, help, values, buttonLabel, onClose }: NewSecretProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  const forget = useUnsavedChanges(Object.keys(values).length > 0, help);
  return (
    <section class="notice" aria-label={title} tabIndex={-1} ref={box}>
      <h2>{title}</h2>
      <p>{help}</p>
      {Object.entries(values).map(([label, value]) => (
        <CopyText key={label} label={label} value={value} />
      ))}
      <button
        type="button"
        onClick={() => {
          focusTitle();
          forget();
          onClose();
        }}
      >
        {buttonLabel}
      </button>
    </section>
  );
}

type NewKeyProps = {
  /** Null if the response with the key was lost. */
  readonly value: string | null;
  onClose(): void;
};

/** A new API key and a command that tries it. */
export function NewKey({ value, onClose }: NewKeyProps) {
  if (value === null)
    return (
      <Notice class="error" focus>
        {text.lost}
      </Notice>
    );
  const command = `curl -sS "${publicUrl("me")}" -H "x-api-key: ${value}"`;
  return (
    <NewSecret
      title={text.newTitle}
      help={text.newText}
      values={{ [text.key]: value, [text.curl]: command }}
      buttonLabel={text.stored}
      onClose={onClose}
    />
  );
}

/** A text to copy. Without access to the clipboard, the button selects the text. */
export function CopyText({ label, value }: { readonly label: string; readonly value: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [status, setStatus] = useState("");
  return (
    <div class="field copy">
      <label>
        {label}
        <textarea
          ref={field}
          readOnly
          rows={value.length > 80 ? 4 : 2}
          spellcheck={false}
          value={value}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </label>
      <button
        type="button"
        aria-label={text.copyText(label)}
        onClick={async () => {
          try {
            await navigator.clipboard.writeText(value);
            setStatus(text.copied);
          } catch {
            field.current?.focus();
            setStatus(text.notCopied);
          }
        }}
      >
        {text.copy}
      </button>{" "}
      <span role="status">{status}</span>
    </div>
  );
}
