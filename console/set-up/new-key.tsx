import { useEffect, useRef, useState } from "preact/hooks";
import { publicUrl } from "../api.ts";
import { texts } from "../texts.ts";
import { focusTitle } from "../ui/focus.ts";

const text = texts.setUp.keys;

type NewKeyProps = {
  /** Null if the response with the key was lost. */
  readonly value: string | null;
  onClose(): void;
};

/** A new API key and a command that tries it. The key can't be shown again. */
export function NewKey({ value, onClose }: NewKeyProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  if (value === null)
    return (
      <section class="notice error" role="alert" tabIndex={-1} ref={box}>
        <p>{text.lost}</p>
      </section>
    );
  return (
    <section class="notice" aria-label={text.newTitle} tabIndex={-1} ref={box}>
      <h3>{text.newTitle}</h3>
      <p>{text.newText}</p>
      <CopyText label={text.key} value={value} />
      <CopyText label={text.curl} value={curlCommand(value)} />
      <button
        type="button"
        onClick={() => {
          focusTitle();
          onClose();
        }}
      >
        {text.stored}
      </button>
    </section>
  );
}

function curlCommand(key: string): string {
  return `curl -sS ${publicUrl("me")} -H "Authorization: Bearer ${key}"`;
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
