import { useId, useState } from "preact/hooks";
import { texts } from "../texts.ts";
import { toOptions } from "../ui/choices.tsx";

export const delimiterOptions = toOptions<string>(texts.files.delimiters);

/** Selects a file, which can also be dropped here. */
export function FileInput({ onSelect }: { onSelect(file: File): void }) {
  const id = useId();
  const [isDropTarget, setDropTarget] = useState(false);
  const select = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onSelect(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside works with the keyboard.
    <div
      class={isDropTarget ? "field drop over" : "field drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setDropTarget(true);
      }}
      onDragLeave={() => setDropTarget(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropTarget(false);
        select(event.dataTransfer?.files);
      }}
    >
      <label for={id}>{texts.files.file}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl"
        aria-describedby={`${id}-help`}
        onChange={(event) => select(event.currentTarget.files)}
      />
      <p class="help" id={`${id}-help`}>
        {texts.files.fileHelp}
      </p>
    </div>
  );
}
