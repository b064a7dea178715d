import type { RecordCount } from "crm-integrations/client";
import { ListFilter, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Query, toQueryString } from "../api.ts";
import { pipelineOptions, stageOptions, useCatalog, userOptions } from "../catalog.ts";
import { entityLists } from "../entities.ts";
import { collections, type Entity, referenceKinds, useNames } from "../names.ts";
import { href, navigate } from "../route.ts";
import { fieldLabel, texts, valueLabel } from "../texts.ts";
import { Checkbox, Options } from "../ui/choices.tsx";
import { closeDropDowns, DropDown } from "../ui/drop-down.tsx";
import { isFocusLost } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { isId } from "../ui/record-id.ts";
import { ReferenceInput } from "../ui/reference-input.tsx";
import { WordsForm } from "../ui/words-form.tsx";

const text = texts.records;

type FilterProps = {
  readonly entity: Entity;
  /** The parameters of the list. Those without a value are undefined. */
  readonly query: Query;
};

type RecordFiltersProps = FilterProps & {
  /** The number of records that match. Undefined if it isn't known, or if there are no filters. */
  readonly count: RecordCount | undefined;
  /** Shown after the button of the form. */
  readonly children: ComponentChildren;
};

/** The filters of a list: words, a form with the others, and the active ones with a button that removes each. */
export function RecordFilters({ entity, query, count, children }: RecordFiltersProps) {
  const { filters, hasWords } = entityLists[entity];
  const bar = useRef<HTMLElement>(null);
  const key = toQueryString(query);
  const lastKey = useRef(key);
  useLayoutEffect(() => {
    if (lastKey.current === key || bar.current === null) return;
    lastKey.current = key;
    closeDropDowns(bar.current);
    // The filter that had the focus was removed.
    if (isFocusLost())
      (bar.current.querySelector<HTMLElement>("a.chip") ?? bar.current.querySelector("summary"))?.focus();
  }, [key]);
  const active = [...filters, "includeArchived"].filter((name) => query[name]);
  return (
    <search class="toolbar" aria-label={text.filter} ref={bar}>
      {hasWords && (
        <WordsForm
          label={text.filterWords(texts.collections[collections[entity]])}
          words={String(query.q ?? "")}
          onSearch={(q) => navigate([collections[entity]], { ...query, q })}
        />
      )}
      <DropDown icon={ListFilter} title={text.filters}>
        <FilterForm entity={entity} query={query} />
      </DropDown>
      {children}
      {count !== undefined && <strong>{text.matches(count)}</strong>}
      {active.map((name) => (
        <a key={name} class="chip" href={href([collections[entity]], { ...query, [name]: undefined })}>
          <span>
            <Description name={name} value={String(query[name])} />
          </span>
          <Icon node={X} />
          <span class="visually-hidden">{text.removeFilter}</span>
        </a>
      ))}
      {active.length > 1 && (
        <a href={href([collections[entity]], { order: query.order, q: query.q })}>{text.clearFilters}</a>
      )}
    </search>
  );
}

/** Names a filter and its value. */
function Description({ name, value }: { readonly name: string; readonly value: string }) {
  const kind = referenceKinds[name];
  const catalog = useCatalog();
  const names = useNames(kind === "contact" ? "contact" : "account", [
    kind === "account" || kind === "contact" ? value : null,
  ]);
  if (name === "includeArchived") return text.includeArchived;
  const options = [...userOptions(catalog), ...pipelineOptions(catalog), ...stageOptions(catalog)];
  const found = options.find((option) => option.value === value)?.label ?? names.get(value);
  const shown = kind === undefined ? valueLabel(value) : (found ?? "…");
  return (
    <>
      {fieldLabel(name)}: <bdi>{shown}</bdi>
    </>
  );
}

function FilterForm({ entity, query }: FilterProps) {
  const [values, setValues] = useState(query);
  useLayoutEffect(() => setValues(query), [toQueryString(query)]);
  const set = (name: string, value: string | boolean): void =>
    setValues((before) => ({ ...before, [name]: value || undefined }));
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        navigate([collections[entity]], values);
      }}
    >
      {entityLists[entity].filters.map((name) => (
        <label key={name} for={`filter-${name}`}>
          {fieldLabel(name)}
          <FilterInput
            id={`filter-${name}`}
            entity={entity}
            name={name}
            value={String(values[name] ?? "")}
            onChange={(value) => set(name, value)}
          />
        </label>
      ))}
      <Checkbox
        label={text.includeArchived}
        checked={values.includeArchived === true}
        onChange={(checked) => set("includeArchived", checked)}
      />
      <button type="submit" class="primary">
        {text.filter}
      </button>
    </form>
  );
}

type FilterInputProps = {
  readonly id: string;
  readonly entity: Entity;
  readonly name: string;
  readonly value: string;
  onChange(value: string): void;
};

/** An input for a value of a filter. */
function FilterInput({ id, entity, name, value, onChange }: FilterInputProps) {
  const kind = referenceKinds[name];
  if (kind !== undefined)
    return (
      <ReferenceInput
        {...{ id, kind, value }}
        describedBy={undefined}
        isInvalid={false}
        onChange={(next) => (next === "" || isId(next)) && onChange(next)}
      />
    );
  if (name !== "status")
    return <input id={id} value={value} onInput={(event) => onChange(event.currentTarget.value)} />;
  const statuses = entityLists[entity].statuses?.map((status) => ({ value: status, label: valueLabel(status) })) ?? [];
  return (
    <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <Options options={statuses} none={texts.form.none} />
    </select>
  );
}
