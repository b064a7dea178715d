import { Plus } from "lucide";
import type { ComponentChildren } from "preact";
import { type Query, readAll } from "../api.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { href, navigate } from "../route.ts";
import { fieldLabel, texts } from "../texts.ts";
import { Checkbox } from "../ui/choices.tsx";
import { Icon } from "../ui/icon.tsx";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { byText, type Context, noContext, type Resource, urlOf } from "./resource.ts";

type ResourceListProps = { readonly resource: Resource; readonly query: URLSearchParams };

/** All records of one kind. Archived ones are shown on demand. */
export function ResourceList({ resource, query }: ResourceListProps) {
  return (
    <ListPage resource={resource}>
      <ArchivedSwitch route={resource.route} query={query} />
      <ResourceTable resource={resource} query={query} />
    </ListPage>
  );
}

type ListPageProps = { readonly resource: Resource; readonly children: ComponentChildren };

/** The page of a list, with a link to the form of a new record. */
export function ListPage({ resource, children }: ListPageProps) {
  const kind = texts.setUp.kinds[resource.name];
  return (
    <Page
      title={kind.title}
      actions={
        <>
          {resource.parent && <BackLink resource={resource} />}
          <a class="button primary" href={href([...resource.route, "new"])}>
            <Icon node={Plus} />
            {kind.create}
          </a>
        </>
      }
    >
      <p>{kind.intro}</p>
      {children}
    </Page>
  );
}

type BackLinkProps = { readonly resource: Resource; readonly entity?: unknown };

/** Leads back to the list, for one kind of record if it has tabs for them, or to the record that the records belong to. */
export function BackLink({ resource: { name, route, parent }, entity }: BackLinkProps) {
  return (
    <a class="button" href={href(parent ?? route, typeof entity === "string" ? { entity } : {})}>
      {texts.setUp.kinds[name].back}
    </a>
  );
}

/** Shows archived records too, or hides them. */
export function ArchivedSwitch({ route, query }: Pick<Resource, "route"> & Pick<ResourceListProps, "query">) {
  return (
    <p>
      <Checkbox
        label={texts.setUp.includeArchived}
        checked={query.get("includeArchived") === "true"}
        onChange={(includeArchived) => navigate(route, { ...Object.fromEntries(query), includeArchived })}
      />
    </p>
  );
}

/** The records of one kind as a table. `filter` has parameters of the list. */
export function ResourceTable({ resource, query, filter = {} }: ResourceListProps & { readonly filter?: Query }) {
  const kind = texts.setUp.kinds[resource.name];
  const includeArchived = query.get("includeArchived") === "true";
  const loaded = useLoad(
    async (signal) => {
      const [records, context] = await Promise.all([
        readAll<CrmRecord>(urlOf(resource), { ...resource.fixed, ...filter, includeArchived }, signal),
        resource.load?.(signal) ?? noContext,
      ]);
      return { records, context };
    },
    `${resource.name} ${includeArchived} ${filter.entity}`,
    resource.name,
  );
  const order = query.get("order") ?? (resource.compare ? "" : "name");
  return (
    <>
      <LoadStatus of={loaded} />
      {loaded.value && (
        <Table
          caption={kind.title}
          columns={resourceColumns(resource, loaded.value.context, includeArchived)}
          rows={loaded.value.records.toSorted(compareBy(order, resource, loaded.value.context))}
          keyOf={({ id }) => id}
          empty={kind.empty}
          {...(filter.entity === undefined && {
            sort: {
              order,
              href: (next: string) => href(resource.route, { ...Object.fromEntries(query), order: next }),
            },
            isDense: true,
          })}
        />
      )}
    </>
  );
}

/** Returns the comparison of an order: that of the list, by the name, or by a field. */
function compareBy(order: string, { nameOf, compare }: Resource, context: Context) {
  if (order === "" && compare) return compare;
  const field = order.replace("-", "");
  const textOf = (record: CrmRecord) => (field === "name" ? nameOf(record, context) : record[field]);
  const compareTexts = byText(textOf);
  return order.startsWith("-") ? (a: CrmRecord, b: CrmRecord) => compareTexts(b, a) : compareTexts;
}

function resourceColumns(resource: Resource, context: Context, includeArchived: boolean): Column<CrmRecord>[] {
  return [
    {
      label: texts.setUp.kinds[resource.name].one,
      order: "name",
      render: (record) => (
        <a href={href([...resource.route, record.id])} dir="auto">
          {resource.nameOf(record, context)}
        </a>
      ),
    },
    ...resource.columns(context),
    ...(includeArchived
      ? [
          {
            label: fieldLabel("archivedAt"),
            order: "archivedAt",
            render: ({ archivedAt }: CrmRecord) => (archivedAt ? <RelativeTime iso={archivedAt} /> : "–"),
          },
        ]
      : []),
  ];
}
