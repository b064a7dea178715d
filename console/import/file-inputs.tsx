import { Upload } from "lucide";
import { useId, useState } from "preact/hooks";
import { texts } from "../texts.ts";
import { toOptions } from "../ui/choices.tsx";
import { Icon } from "../ui/icon.tsx";

export const delimiterOptions = toOptions<string>(texts.files.delimiters);

type FileInputProps = { readonly selected: File | undefined; onSelect(file: File): void };

/** Selects a file, which can also be dropped here. */
export function FileInput({ selected, onSelect }: FileInputProps) {
  const id = useId();
  const [isDropTarget, setDropTarget] = useState(false);
  const select = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onSelect(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside works with the keyboard.
    <div
      class={isDropTarget ? "drop over" : "drop"}
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
      {/* The texts of the browser's own button can be in another language. */}
      <input
        id={id}
        class="visually-hidden"
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl"
        aria-describedby={`${id}-help`}
        // The browser doesn't report the same file again, which can have other content.
        onClick={({ currentTarget }) => {
          currentTarget.value = "";
        }}
        onChange={(event) => select(event.currentTarget.files)}
      />
      <label class="button" for={id}>
        <Icon node={Upload} />
        {texts.files.choose}
      </label>{" "}
      <bdi>{selected?.name}</bdi>
      <p class="help" id={`${id}-help`}>
        {texts.files.fileHelp}
      </p>
    </div>
  );
}
