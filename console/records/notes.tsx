import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { useSetUpNames } from "../catalog.ts";
import type { Entity } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, useMessage } from "../ui/notice.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { CrmRecord } from "./record-columns.tsx";

const text = texts.notes;
/** The most notes that the section shows. */
const maxShown = 100;

type Note = CrmRecord & { readonly body: string; readonly authorId: string | null; readonly occurredAt: string };

function bodyField(label: string): readonly FieldSpec[] {
  return [{ path: "/body", label, help: undefined, input: "textarea", required: false, nullable: false }];
}
const [newFields, editFields] = [bodyField(text.create), bodyField(fieldLabel("body"))];

/** The notes of a record, newest first, and a form that adds one. An archived record gets no new notes. */
export function Notes({ entity, record: { id, archivedAt } }: { readonly entity: Entity; readonly record: CrmRecord }) {
  const query = { relatedToId: id, order: "-occurredAt", limit: maxShown };
  const notes = useLoad((signal) => call<readonly Note[]>("GET", "api/v1/notes", { query, signal }), id);
  const add = useAction(
    (body: object) => call("POST", "api/v1/notes", { body: { ...body, relatedTo: { type: entity, id } } }),
    () => {
      setAdds((count) => count + 1);
      finish(text.added);
    },
  );
  const names = useSetUpNames(id);
  const [notice, setMessage] = useMessage();
  const [adds, setAdds] = useState(0);

  function finish(done: string): void {
    setMessage(done);
    notes.reload();
  }

  return (
    <section class="notes" aria-label={text.title}>
      <h2>{text.title}</h2>
      {notice}
      {!archivedAt && (
        <Form
          key={adds}
          fields={newFields}
          submitLabel={text.add}
          isRunning={add.isRunning}
          error={add.error}
          onSubmit={add.run}
        />
      )}
      <LoadStatus of={notes} />
      {notes.value?.data.length === 0 && <p class="empty">{text.empty}</p>}
      <ul>
        {notes.value?.data.map((note) => (
          <NoteItem
            key={note.id}
            note={note}
            author={note.authorId === null ? undefined : (names.get(note.authorId) ?? "…")}
            onChanged={finish}
            onFailed={notes.reload}
          />
        ))}
      </ul>
      {notes.value?.nextCursor && <a href={href(["notes"], { relatedToId: id })}>{text.all}</a>}
    </section>
  );
}

type NoteItemProps = {
  readonly note: Note;
  readonly author: string | undefined;
  onChanged(message: string): void;
  onFailed(): void;
};

function NoteItem({ note, author, onChanged, onFailed }: NoteItemProps) {
  /** The note as the user saw it when they started to edit it. */
  const [seen, setSeen] = useState<Note | undefined>();
  const path = `api/v1/notes/${note.id}`;
  const ifMatch = note.updatedAt;
  const update = useAction((body: object) => call("PATCH", path, { body, ifMatch }));
  const archive = useAction(() => call("DELETE", path, { ifMatch }));
  const item = useRef<HTMLLIElement>(null);
  const isEditing = seen !== undefined;
  const wasEditing = useRef(isEditing);
  // The control that had the focus is gone.
  useEffect(() => {
    const next = isEditing ? "textarea" : "button";
    if (wasEditing.current !== isEditing) item.current?.querySelector<HTMLElement>(next)?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);

  function close(): void {
    setSeen(undefined);
    update.clear();
  }

  async function save(body: object): Promise<void> {
    if (Object.keys(body).length === 0) return close();
    // After a conflict, the form has the entry of the user, and the note is read again.
    if ((await update.run(body)) === undefined) return onFailed();
    close();
    onChanged(texts.records.saved);
  }

  const time = formatTime(note.occurredAt);
  return (
    <li class="card" ref={item}>
      <p class="help">
        <a href={href(["notes", note.id])}>
          <RelativeTime iso={note.occurredAt} />
        </a>
        {author !== undefined && <bdi> {author}</bdi>}
      </p>
      {seen === undefined ? (
        <>
          <p class="note-text" dir="auto">
            {note.body}
          </p>
          <button type="button" aria-label={text.editAt(time)} onClick={() => setSeen(note)}>
            {text.edit}
          </button>{" "}
          <button
            type="button"
            class="danger"
            aria-label={text.archiveAt(time)}
            disabled={archive.isRunning}
            onClick={async () => ((await archive.run()) === undefined ? onFailed() : onChanged(texts.records.archived))}
          >
            {texts.records.archive}
          </button>
        </>
      ) : (
        <Form
          fields={editFields}
          record={note}
          seen={seen.updatedAt !== note.updatedAt ? seen : undefined}
          submitLabel={texts.form.save}
          isRunning={update.isRunning}
          error={update.error}
          onSubmit={save}
          onCancel={close}
        />
      )}
      {archive.error && <ErrorNotice error={archive.error} focus />}
    </li>
  );
}
