import { call, type Query } from "../api.ts";
import { relatedKinds } from "../entities.ts";
import { collections, type Entity, rememberNames } from "../names.ts";
import { href } from "../route.ts";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Tag } from "../ui/tag.tsx";
import { ForDevelopers } from "./for-developers.tsx";
import { type CrmRecord, RecordLink } from "./record-columns.tsx";

type RecordAsideProps = { readonly entity: Entity; readonly record: CrmRecord };

/** The column next to the form of a record: related records, times, and the parts for developers. */
export function RecordAside({ entity, record }: RecordAsideProps) {
  return (
    <aside>
      {relatedKinds.includes(entity) && <RelatedLists entity={entity} id={record.id} />}
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
      <dl class="values">
        {times.map((name) => {
          const value = record[name];
          return typeof value !== "string" ? null : (
            <div key={name}>
              <dt>{fieldLabel(name)}</dt>
              <dd>{formatTime(value)}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** The most records that a list of related records shows. */
const maxRelated = 5;

/** The lists of related records. The notes are next to them, and a link leads to all. */
function RelatedLists({ entity, id }: { readonly entity: Entity; readonly id: string }) {
  return (
    <section class="card related">
      <h2>{texts.records.related}</h2>
      {/* Above the lists, which move what is below them when they are loaded. */}
      <a href={href(["tasks", "new"], { relatedToType: entity, relatedToId: id })}>
        {texts.records.create(texts.kinds.task)}
      </a>
      {entity === "account" && <RelatedList entity="contact" query={{ accountId: id }} />}
      {entity !== "opportunity" && <RelatedList entity="opportunity" query={{ [`${entity}Id`]: id }} />}
      <RelatedList entity="task" query={{ relatedToId: id }} />
      <h3>
        <a href={href(["notes"], { relatedToId: id })}>{texts.collections.notes}</a>
      </h3>
    </section>
  );
}

/** The number of related records of one kind, and links to those that changed last. */
function RelatedList({ entity, query }: { readonly entity: Entity; readonly query: Query }) {
  const collection = collections[entity];
  const list = useLoad(
    async (signal) => {
      const page = { ...query, limit: maxRelated, count: true, order: "-updatedAt" };
      const read = await call<readonly CrmRecord[]>("GET", `api/v1/${collection}`, { query: page, signal });
      rememberNames(read.data);
      return read;
    },
    JSON.stringify(query),
    `related ${collection}`,
  );
  const { data = [], count } = list.value ?? {};
  return (
    <>
      <h3>
        <a href={href([collection], query)}>{texts.collections[collection]}</a>{" "}
        {count && <span class="help">{texts.overview.count(count.count, count.isMinimum)}</span>}
      </h3>
      <LoadStatus of={list} />
      <ul class="links">
        {data.map((record) => (
          <li key={record.id}>
            <RecordLink {...{ entity, record }} />
            {typeof record.status === "string" && <Tag value={record.status} />}
          </li>
        ))}
      </ul>
    </>
  );
}
