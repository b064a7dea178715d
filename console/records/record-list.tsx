import type { Counts, RecordCount } from "crm-integrations/client";
import { Plus, SquareKanban, Upload } from "lucide";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { call, type Query, read, toQueryString } from "../api.ts";
import { pipelineOptions, stageOptions, useCatalog, userOptions } from "../catalog.ts";
import { entityLists } from "../entities.ts";
import { collections, type Entity, nameOf, rememberNames, useNames } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { focusTitle, isFocusLost } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { MoreRows, usePages } from "../ui/pages.tsx";
import { Empty, Table } from "../ui/table.tsx";
import { BulkChanges, type BulkReport } from "./bulk-changes.tsx";
import { ColumnMenu, type ListField, useListColumns } from "./list-columns.tsx";
import { ListViews } from "./list-views.tsx";
import { type CrmRecord, type RelatedTo, recordColumns } from "./record-columns.tsx";
import { RecordFilters } from "./record-filters.tsx";

/** The record that changed last comes first. */
const defaultOrder = "-updatedAt";

type RecordListProps = { readonly entity: Entity; readonly query: URLSearchParams };

/** A list of records with filters, which sorts by its columns. More pages are added below. */
export function RecordList({ entity, query }: RecordListProps) {
  const collection = collections[entity];
  const names = [...entityLists[entity].filters, "q", "order"];
  const chosen: Query = {
    ...Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined])),
    includeArchived: query.get("includeArchived") === "true" || undefined,
  };
  // The rows stay until they are sorted, with the focus on a header.
  const key = toQueryString({ ...chosen, order: undefined });
  const columns = useListColumns(entity);
  const [counted, setCounted] = useState<{ readonly key: string; readonly count: RecordCount | undefined }>();
  return (
    <Page
      title={texts.collections[collection]}
      actions={
        <>
          {entity === "opportunity" && (
            <a class="button" href={href(["board"], { pipelineId: query.get("pipelineId") ?? undefined })}>
              <Icon node={SquareKanban} />
              {texts.board.show}
            </a>
          )}
          <a class="button" href={href(["import"])}>
            <Icon node={Upload} />
            {texts.nav.import}
          </a>
          <a class="button primary" href={href([collection, "new"])}>
            <Icon node={Plus} />
            {texts.records.create(texts.kinds[entity])}
          </a>
        </>
      }
    >
      <RecordFilters entity={entity} query={chosen} count={counted?.key === key ? counted.count : undefined}>
        <ListViews entity={entity} query={chosen} />
        <ColumnMenu columns={columns} />
      </RecordFilters>
      <Rows
        key={key}
        entity={entity}
        query={chosen}
        fields={columns.shown}
        onCount={(count) => setCounted({ key, count })}
      />
    </Page>
  );
}

type RowsProps = {
  readonly entity: Entity;
  readonly query: Query;
  readonly fields: readonly ListField[];
  /** Called with the number of matches of a list with filters. */
  onCount(count: RecordCount | undefined): void;
};

function Rows({ entity, query, fields, onCount }: RowsProps) {
  const collection = collections[entity];
  const isFiltered = Object.entries(query).some(([name, value]) => name !== "order" && value !== undefined);
  const order = String(query.order ?? defaultOrder);
  const list = usePages(async (page, signal) => {
    const pageQuery = { ...query, order, ...page, count: isFiltered && page.cursor === undefined };
    const found = await call<readonly CrmRecord[]>("GET", `api/v1/${collection}`, { query: pageQuery, signal });
    rememberNames(found.data);
    return found;
  }, `${collection} ${order}`);
  const { rows, more } = list;
  // The records that are shown can be more than those that the server has counted.
  const counted = list.value?.count;
  const count = counted && {
    count: more ? Math.max(counted.count, rows.length) : rows.length,
    isMinimum: counted.isMinimum && Boolean(more),
  };
  useEffect(() => onCount(count), [count?.count, count?.isMinimum]);
  const showsRelated = fields.some(({ name }) => name === "relatedTo");
  const related = showsRelated ? rows.map(({ relatedTo }) => relatedTo as RelatedTo) : [];
  const relatedIds = (kind: Entity) => related.flatMap(({ type, id }) => (type === kind ? [id] : []));
  useNames("contact", relatedIds("contact"));
  useNames("opportunity", relatedIds("opportunity"));
  const names = useNames("account", [
    ...relatedIds("account"),
    ...rows.map(({ accountId }) => accountId as string | null),
  ]);
  const catalog = useCatalog();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [report, setReport] = useState<BulkReport>();
  const select = (ids: ReadonlySet<string>): void => {
    setSelected(ids);
    setReport((last) => (last?.isDryRun ? last : undefined));
  };
  const shownIds = [...related.map(({ id }) => id), ...rows.map(({ accountId }) => accountId as string | null)];
  const unnamed = shownIds.filter((id) => id && !names.has(id)).length;
  const fieldKey = fields.map(({ name, label, spec }) => `${name} ${label} ${spec?.input}`).join();
  // The rows stay as they are if no name or column has changed.
  const columns = useMemo(() => {
    const options = [...userOptions(catalog), ...pipelineOptions(catalog), ...stageOptions(catalog)];
    const ofSetUp = new Map(options.map(({ value, label }) => [value, label]));
    return recordColumns(entity, fields, { get: (id) => names.get(id) ?? ofSetUp.get(id) });
  }, [entity, fieldKey, catalog, unnamed]);
  const isSelecting = rows.some(({ id }) => selected.has(id));
  const wasSelecting = useRef(isSelecting);
  useLayoutEffect(() => {
    if (wasSelecting.current && isFocusLost()) {
      focusTitle();
      document.querySelector<HTMLElement>("thead input")?.focus();
    }
    wasSelecting.current = isSelecting;
  }, [isSelecting]);
  if (list.value === undefined) return <LoadStatus of={list} />;
  const chosen = rows.filter(({ id }) => selected.has(id));
  return (
    <>
      <LoadStatus of={list} />
      {(chosen.length > 0 || report) && (
        <BulkChanges
          entity={entity}
          records={chosen}
          lastReport={report}
          onReport={setReport}
          onChanged={list.reload}
          onClear={() => select(new Set())}
        />
      )}
      <Table
        caption={texts.collections[collection]}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty
              text={texts.records.noMatches}
              href={href([collection], { order: query.order })}
              next={texts.records.clearFilters}
            />
          ) : (
            <FirstSteps entity={entity} />
          )
        }
        sort={{ order, href: (next) => href([collection], { ...query, order: next }) }}
        selection={{
          selected,
          labelOf: (record) => texts.bulk.select(nameOf(record)),
          allLabel: texts.bulk.selectAll,
          onChange: select,
        }}
        isDense
      />
      <p class="help" role="status">
        {!more && rows.length > 0 && texts.records.shown(rows.length, false)}
        {more && count && texts.records.shownOf(rows.length, count)}
        {more && !count && <ShownOfAll collection={collection} count={rows.length} />}
      </p>
      <MoreRows more={more} />
    </>
  );
}

type ShownOfAllProps = { readonly collection: (typeof collections)[Entity]; readonly count: number };

/** Says how many of all records are shown. */
function ShownOfAll({ collection, count }: ShownOfAllProps) {
  const counts = useLoad((signal) => read<Counts>("api/v1/counts", { signal }), "counts");
  const total = counts.value?.[collection];
  return total === undefined ? texts.records.shown(count, true) : texts.records.shownOf(count, total);
}

function FirstSteps({ entity }: { readonly entity: Entity }) {
  const collection = collections[entity];
  return (
    <>
      <p>{texts.records.none(texts.collections[collection])}</p>
      <p class="actions">
        <a class="button" href={href([collection, "new"])}>
          {texts.records.create(texts.kinds[entity])}
        </a>
        <a class="button" href={href(["import"])}>
          {texts.records.importFile}
        </a>
      </p>
    </>
  );
}
