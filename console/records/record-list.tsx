import { useState } from "preact/hooks";
import { call, type Query, toQueryString } from "../api.ts";
import { stageOptions, useCatalog, userOptions } from "../catalog.ts";
import { entityLists } from "../entities.ts";
import { collections, type Entity, referenceKinds, rememberNames, useNames } from "../names.ts";
import { href, navigate } from "../route.ts";
import { fieldLabel, texts, valueLabel } from "../texts.ts";
import type { Option } from "../ui/field-spec.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ReferenceInput } from "../ui/reference-input.tsx";
import { Table } from "../ui/table.tsx";
import { type CrmRecord, type RelatedTo, recordColumns } from "./record-columns.tsx";

const pageSize = 50;

type RecordListProps = { readonly entity: Entity; readonly query: URLSearchParams };

/** A list of records with the filters of the API. More pages are added below. */
export function RecordList({ entity, query }: RecordListProps) {
  const collection = collections[entity];
  const filters: Query = {
    ...Object.fromEntries(entityLists[entity].filters.map((name) => [name, query.get(name) ?? undefined])),
    includeArchived: query.get("includeArchived") === "true",
  };
  const key = toQueryString(filters);
  return (
    <Page
      title={texts.collections[collection]}
      actions={
        <a class="button primary" href={href([collection, "new"])}>
          {texts.records.create(texts.kinds[entity])}
        </a>
      }
    >
      <Filters key={`filters${key}`} entity={entity} filters={filters} />
      <Rows key={key} entity={entity} filters={filters} />
    </Page>
  );
}

function Rows({ entity, filters }: { readonly entity: Entity; readonly filters: Query }) {
  const collection = collections[entity];
  const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
    call<readonly CrmRecord[]>("GET", `api/v1/${collection}`, {
      query: { ...filters, limit: pageSize, cursor },
      ...(signal && { signal }),
    }).then((page) => {
      rememberNames(page.data);
      return page;
    });
  const first = useLoad((signal) => readPage(undefined, signal), collection);
  const [more, setMore] = useState<readonly Awaited<ReturnType<typeof readPage>>[]>([]);
  const next = useAction(readPage);
  const pages = first.value === undefined ? [] : [first.value, ...more];
  const rows = pages.flatMap(({ data }) => data);
  const cursor = pages.at(-1)?.nextCursor;
  const showsRelated = entityLists[entity].columns.includes("relatedTo");
  const related = showsRelated ? rows.map(({ relatedTo }) => relatedTo as RelatedTo) : [];
  const relatedIds = (kind: Entity) => related.flatMap(({ type, id }) => (type === kind ? [id] : []));
  useNames("contact", relatedIds("contact"));
  useNames("opportunity", relatedIds("opportunity"));
  const names = useNames("account", [
    ...relatedIds("account"),
    ...rows.map(({ accountId }) => accountId as string | null),
  ]);
  const catalog = useCatalog();
  const all = new Map([...names, ...[...userOptions(catalog), ...stageOptions(catalog)].map(toEntry)]);
  if (first.error) return <ErrorNotice error={first.error} />;
  if (first.value === undefined) return <Loading />;
  return (
    <>
      <Table
        caption={texts.collections[collection]}
        columns={recordColumns(entity, all)}
        rows={rows}
        keyOf={({ id }) => id}
        empty={texts.records.empty}
      />
      <p class="help" role="status">
        {texts.records.shown(rows.length, cursor !== undefined && cursor !== null)}
      </p>
      {next.error && <ErrorNotice error={next.error} />}
      {cursor && (
        <button
          type="button"
          disabled={next.isRunning}
          onClick={async () => {
            const page = await next.run(cursor);
            if (page !== undefined) setMore((before) => [...before, page]);
          }}
        >
          {texts.records.more}
        </button>
      )}
    </>
  );
}

function toEntry({ value, label }: Option): [string, string] {
  return [value, label];
}

function Filters({ entity, filters }: { readonly entity: Entity; readonly filters: Query }) {
  const [values, setValues] = useState(filters);
  const set = (name: string, value: string | boolean): void => setValues((before) => ({ ...before, [name]: value }));
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
          <FilterInput entity={entity} name={name} value={String(values[name] ?? "")} onChange={(v) => set(name, v)} />
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={values.includeArchived === true}
          onChange={(event) => set("includeArchived", event.currentTarget.checked)}
        />{" "}
        {texts.records.includeArchived}
      </label>
      <button type="submit">{texts.records.filter}</button>
      {Object.values(filters).some(Boolean) && <a href={href([collections[entity]])}>{texts.records.clearFilters}</a>}
    </form>
  );
}

type FilterInputProps = {
  readonly entity: Entity;
  readonly name: string;
  readonly value: string;
  onChange(value: string): void;
};

function FilterInput({ entity, name, value, onChange }: FilterInputProps) {
  const id = `filter-${name}`;
  const kind = referenceKinds[name];
  if (kind !== undefined)
    return <ReferenceInput {...{ id, kind, value, onChange }} describedBy={undefined} isInvalid={false} />;
  if (name !== "status")
    return <input id={id} value={value} onInput={(event) => onChange(event.currentTarget.value)} />;
  return (
    <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{texts.form.none}</option>
      {entityLists[entity].statuses?.map((status) => (
        <option key={status} value={status}>
          {valueLabel(status)}
        </option>
      ))}
    </select>
  );
}
