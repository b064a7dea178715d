import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ConflictLinks, ConflictNotice, isConflict } from "./conflict-notice.tsx";
import { Form, type FormProps } from "./form.tsx";
import { useAction } from "./load.ts";

type Values = Readonly<Record<string, unknown>>;

type SaveFormProps<T> = Omit<FormProps, "seen" | "isRunning" | "error" | "onSubmit"> & {
  readonly conflict: ConflictLinks;
  /** The record before it was read again because of another conflict on the screen. */
  readonly seen?: Values | undefined;
  /** Whether a body without changes is sent too. */
  readonly savesUnchanged?: boolean;
  /** Sends the body of a new record, or the changed fields. */
  save(body: Record<string, unknown>): Promise<T>;
  /** Called before a request. */
  onSubmit?: (() => void) | undefined;
  /** Gets the response, or undefined if there was nothing to save. */
  onSaved(saved: T | undefined): void;
  /** Reads the record again after a conflict. */
  onReload?: (() => void) | undefined;
};

/**
 * A form that saves a record. After a conflict, the record can be read again: the form keeps the entries, and marks the
 * fields that another user has changed.
 */
export function SaveForm<T>(props: SaveFormProps<T>) {
  const { conflict, savesUnchanged, save, onSubmit, onSaved, onReload, onCancel, ...form } = props;
  const { record } = form;
  const sending = useAction(save);
  const { error } = sending;
  // The record before it was read again after a conflict.
  const [ownSeen, setSeen] = useState<Values | undefined>();
  const seen = ownSeen ?? form.seen;
  const isShown = useRef(true);
  useLayoutEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return (
    <>
      {isConflict(error) && (
        <ConflictNotice
          {...conflict}
          error={error}
          onReload={
            onReload &&
            (() => {
              sending.clear();
              setSeen(seen ?? record);
              onReload();
            })
          }
        />
      )}
      <Form
        {...form}
        seen={seen !== record ? seen : undefined}
        isRunning={sending.isRunning}
        error={isConflict(error) ? undefined : error}
        onSubmit={async (body) => {
          onSubmit?.();
          if (record !== undefined && !savesUnchanged && Object.keys(body).length === 0) return onSaved(undefined);
          const saved = await sending.run(body);
          // The user can have left the form for another one.
          if (saved !== undefined && isShown.current) onSaved(saved);
        }}
        onCancel={
          onCancel &&
          (() => {
            sending.clear();
            setSeen(undefined);
            onCancel();
          })
        }
      />
    </>
  );
}
