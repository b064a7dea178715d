import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { texts } from "../texts.ts";
import { Dialog } from "../ui/dialog.tsx";

type ConfirmButtonProps = {
  readonly label: string;
  /** Names the object for screen readers, if the label alone is ambiguous. */
  readonly name?: string;
  readonly title: string;
  readonly isRunning: boolean;
  /** Explains the effect. */
  readonly children: ComponentChildren;
  onConfirm(): void;
};

/** A button for a change that a dialog confirms first. */
export function ConfirmButton({ label, name, title, isRunning, children, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={name === undefined ? undefined : `${label} ${name}`}
        disabled={isRunning}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
          <div class="actions">
            <button
              type="button"
              class="danger"
              onClick={() => {
                setOpen(false);
                onConfirm();
              }}
            >
              {label}
            </button>
            <button type="button" onClick={() => setOpen(false)}>
              {texts.form.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
