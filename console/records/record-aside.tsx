import { collections, type Entity } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/time.tsx";
import { ForDevelopers } from "./for-developers.tsx";
import type { CrmRecord } from "./record-columns.tsx";

type RecordAsideProps = { readonly entity: Entity; readonly record: CrmRecord };

/** The column next to the form of a record: related records, times, and the parts for developers. */
export function RecordAside({ entity, record }: RecordAsideProps) {
  return (
    <aside>
      {entity !== "task" && entity !== "note" && <RelatedLinks entity={entity} id={record.id} />}
      <Times record={record} />
      <ForDevelopers path={`${collections[entity]}/${record.id}`} record={record} />
    </aside>
  );
}

function Times({ record }: { readonly record: CrmRecord }) {
  const times = ["createdAt", "updatedAt", "closedAt", "stageChangedAt", "archivedAt"];
  return (
    <section class="card">
      <h2>{texts.records.times}</h2>
      <dl class="details">
        {times.map((name) => {
          const value = record[name];
          return typeof value !== "string" ? null : (
            <>
              <dt>{fieldLabel(name)}</dt>
              <dd>{formatTime(value)}</dd>
            </>
          );
        })}
      </dl>
    </section>
  );
}

/** Links to the lists of related records, and to forms that create one. */
function RelatedLinks({ entity, id }: { readonly entity: Entity; readonly id: string }) {
  const lists: readonly (readonly [collection: keyof typeof texts.collections, query: Record<string, string>])[] = [
    ...(entity === "account" ? ([["contacts", { accountId: id }]] as const) : []),
    ...(entity === "opportunity" ? [] : ([["opportunities", { [`${entity}Id`]: id }]] as const)),
    ["tasks", { relatedToId: id }],
    ["notes", { relatedToId: id }],
  ];
  return (
    <section class="card">
      <h2>{texts.records.related}</h2>
      <ul class="links">
        {lists.map(([collection, query]) => (
          <li key={collection}>
            <a href={href([collection], query)}>{texts.collections[collection]}</a>
          </li>
        ))}
        <li>
          <a href={href(["tasks", "new"], { relatedToType: entity, relatedToId: id })}>
            {texts.records.create(texts.kinds.task)}
          </a>
        </li>
      </ul>
    </section>
  );
}
