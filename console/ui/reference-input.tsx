import { useEffect, useRef, useState } from "preact/hooks";
import { pipelineOptions, stageOptions, useCatalog, userOptions } from "../catalog.ts";
import { collections, type Entity, type Named, nameOf, rememberNames, useNames } from "../names.ts";
import { texts } from "../texts.ts";
import { Options } from "./choices.tsx";
import type { InputProps, Option } from "./field-spec.ts";
import { useSearch } from "./search.ts";

type ReferenceInputProps = {
  readonly id: string;
  readonly kind: string;
  /** The ID of the record, a text that names none, or an empty text. */
  readonly value: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  /** Called with the ID of a record, or with a text that the user leaves without choosing a record. */
  onChange(value: string): void;
};

/** Selects a record. Users, pipelines and stages are in a list, other records are searched. */
export function ReferenceInput(props: ReferenceInputProps) {
  const catalog = useCatalog();
  switch (props.kind) {
    case "user":
      return <SelectReference {...props} options={userOptions(catalog)} />;
    case "pipeline":
      return <SelectReference {...props} options={pipelineOptions(catalog)} />;
    case "stage":
      return <SelectReference {...props} options={stageOptions(catalog)} />;
    default:
      return <SearchReference {...props} kind={props.kind as Entity} />;
  }
}

function SelectReference(props: ReferenceInputProps & { readonly options: readonly Option[] }) {
  const { id, value, options, describedBy, isInvalid, onChange } = props;
  const isListed = value === "" || options.some((option) => option.value === value);
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <Options options={options} none={texts.form.none} />
      {!isListed && <option value={value}>{value}</option>}
    </select>
  );
}

/** A text field with a list of the records that match, after the combobox pattern of ARIA. */
function SearchReference(props: ReferenceInputProps & { readonly kind: Entity; readonly exclude?: readonly string[] }) {
  const { id, kind, value, describedBy, isInvalid, exclude = [], onChange } = props;
  const names = useNames(kind, [value]);
  const [text, setText] = useState<string | undefined>();
  const hits = useSearch(text ?? "", kind);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const options = (hits ?? []).map(({ record }) => record).filter(({ id: found }) => !exclude.includes(found));
  const shown = names.get(value) ?? value;
  const isOpen = text !== undefined && text.trim() !== "";

  useEffect(() => setActive(0), [hits]);

  function select(record: Named | undefined): void {
    if (record === undefined) return;
    rememberNames([record]);
    setText(undefined);
    onChange(record.id);
    input.current?.focus();
  }

  /** Chooses the record with the typed name. Any other text stays, and the form rejects it. */
  function leave(): void {
    if (text === undefined) return;
    setText(undefined);
    const typed = text.trim();
    if (typed === shown) return;
    const named = options.filter((record) => nameOf(record).toLowerCase() === typed.toLowerCase());
    onChange(named.length === 1 && named[0] ? named[0].id : typed);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen) return;
    if (event.key === "ArrowDown") setActive(Math.min(active + 1, options.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(active - 1, 0));
    else if (event.key === "Enter") select(options[active]);
    else if (event.key === "Escape") setText(undefined);
    else return;
    event.preventDefault();
  }

  return (
    <div class="combobox">
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && options.length > 0 ? `${id}-${active}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        autoComplete="off"
        dir="auto"
        placeholder={texts.form.search(texts.collections[collections[kind]])}
        value={text ?? shown}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={texts.collections[collections[kind]]}
        hidden={options.length === 0}
      >
        {options.map((record, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard.
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
          <div
            key={record.id}
            id={`${id}-${index}`}
            role="option"
            dir="auto"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => select(record)}
          >
            {nameOf(record)}
          </div>
        ))}
      </div>
      <span class={options.length > 0 ? "visually-hidden" : "no-match"} role="status">
        {isOpen && hits ? texts.form.matches(options.length) : ""}
      </span>
    </div>
  );
}

/** Selects several records. */
export function ReferencesInput({ id, field, draft, describedBy, isInvalid, onChange }: InputProps) {
  const chosen = draft as readonly string[];
  const kind = (field.kind ?? "contact") as Entity;
  const names = useNames(kind, chosen);
  return (
    <div>
      {chosen.length > 0 && (
        <ul class="chips">
          {chosen.map((each) => (
            <li key={each}>
              <bdi>{names.get(each) ?? each}</bdi>{" "}
              <button
                type="button"
                aria-label={texts.form.remove(names.get(each) ?? each)}
                onClick={() => {
                  document.getElementById(id)?.focus();
                  onChange(chosen.filter((other) => other !== each));
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="visually-hidden" for={id}>
        {texts.form.add(texts.kinds[kind])}
      </label>
      <SearchReference
        {...{ id, kind, describedBy, isInvalid }}
        value=""
        exclude={chosen}
        onChange={(next) => next !== "" && onChange([...chosen, next])}
      />
    </div>
  );
}
