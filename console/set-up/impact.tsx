import { type Query, read, toQueryString } from "../api.ts";
import { collections, type Entity } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";

/** The response of GET /admin/impact. */
type ImpactResult = {
  readonly missing: number;
  readonly checked: number;
  readonly complete: boolean;
  readonly sample: readonly { readonly id: string; readonly name: string }[];
};

/** Shows how many records lack a field that the change requires. */
export function Impact({ query }: { readonly query: Query | undefined }) {
  return query === undefined ? null : <ImpactCard key={toQueryString(query)} query={query} />;
}

function ImpactCard({ query }: { readonly query: Query }) {
  const loaded = useLoad((signal) => read<ImpactResult>("api/admin/impact", { query, signal }), "");
  const { value } = loaded;
  const text = texts.setUp.impact;
  const collection = collections[query.entity as Entity];
  return (
    <section class="card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <LoadStatus of={loaded} />
      {value && (
        <>
          <p role="status">
            {text.missing(value.missing, value.checked)} {value.complete ? "" : text.incomplete}
          </p>
          {value.missing > 0 && <p class="help">{query.stageIds || query.statuses ? text.onEntry : text.always}</p>}
          {value.sample.length > 0 && (
            <ul>
              {value.sample.map(({ id, name }) => (
                <li key={id}>
                  <a href={href([collection, id])} target="_blank" dir="auto" rel="noopener">
                    {name || id}
                  </a>
                </li>
              ))}
            </ul>
          )}
          {value.missing > value.sample.length && <p class="help">{text.more(value.missing - value.sample.length)}</p>}
        </>
      )}
    </section>
  );
}
