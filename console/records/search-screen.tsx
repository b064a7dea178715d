import { read } from "../api.ts";
import { type Entity, rememberNames } from "../names.ts";
import { fieldLabel, texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type CrmRecord, RecordLink } from "./record-columns.tsx";

type Hit = { readonly entity: Entity; readonly record: CrmRecord };

const maxResults = 50;

/** The results of a search over accounts, contacts and opportunities. */
export function SearchScreen({ words }: { readonly words: string }) {
  const hits = useLoad(
    async (signal) => {
      if (words === "") return [];
      const found = await read<readonly Hit[]>("api/v1/search", { query: { q: words, limit: maxResults }, signal });
      rememberNames(found.map(({ record }) => record));
      return found;
    },
    words,
    "hits",
  );
  return (
    <Page title={texts.search.title(words)}>
      <LoadStatus of={hits} />
      {hits.value && (
        <Table
          caption={texts.search.title(words)}
          rows={hits.value}
          keyOf={({ record }) => record.id}
          empty={texts.search.none}
          columns={[
            {
              label: fieldLabel("name"),
              render: ({ entity, record }) => <RecordLink entity={entity} record={record} />,
            },
            { label: texts.search.kind, render: ({ entity }) => texts.kinds[entity] },
            { label: fieldLabel("email"), render: ({ record }) => String(record.email ?? "–") },
            { label: fieldLabel("phone"), render: ({ record }) => String(record.phone ?? "–") },
            { label: fieldLabel("updatedAt"), render: ({ record }) => <RelativeTime iso={record.updatedAt} /> },
          ]}
        />
      )}
    </Page>
  );
}
