import type { ApiKey, Counts, RequestTotal } from "crm-integrations/client";
import { TriangleAlert } from "lucide";
import { read } from "../api.ts";
import { type Catalog, stageOptions, useCatalog } from "../catalog.ts";
import { overviewPaths } from "../early-requests.ts";
import { displayNumber } from "../language.ts";
import { collections, entities } from "../names.ts";
import { formatAmount } from "../records/record-columns.tsx";
import { href } from "../route.ts";
import type { Session } from "../session.tsx";
import { texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { Icon } from "../ui/icon.tsx";
import { useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { byPeriod, Chart, lastDay } from "./charts.tsx";
import type { System } from "./describe-system.ts";
import { useHome } from "./first-steps.ts";
import { failingOf, type Integration, type Overview, problemsOf, toIntegrations } from "./overview.ts";
import { countChanges, runChecks } from "./overview-checks.ts";

const text = texts.overview;

async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const options = { signal };
  const [counts, totals, hours, keys, system] = await Promise.all([
    read<Counts>(overviewPaths.counts, options),
    read<readonly RequestTotal[]>(overviewPaths.totals, options),
    read<readonly RequestTotal[]>(overviewPaths.hours, options),
    read<readonly ApiKey[]>(overviewPaths.keys, options),
    read<System>(overviewPaths.system, options).catch((error) => {
      if (error.status === 404) return undefined;
      throw error;
    }),
  ]);
  return { counts, integrations: toIntegrations(keys, totals), hours, keys, system };
}

/** `isHome` says whether a new tenant gets the first steps in place of the overview. */
type OverviewScreenProps = { readonly session: Session; readonly isHome: boolean };

/** The start page: what needs attention, the number of records, open opportunities, and integrations. */
export function OverviewScreen({ session, isHome }: OverviewScreenProps) {
  useHome(isHome);
  const loaded = useLoad(loadOverview, "", "overview");
  const catalog = useCatalog();
  const shown = isHome ? { ...loaded, value: undefined } : loaded;
  return (
    // Another key, so that the new title gets the focus.
    <Page key={String(isHome)} title={isHome ? session.tenant.name : texts.nav.overview}>
      <LoadStatus of={shown} />
      {shown.value && <Content overview={shown.value} catalog={catalog} />}
    </Page>
  );
}

function Content({ overview, catalog }: { readonly overview: Overview; readonly catalog: Catalog }) {
  return (
    <>
      <Attention overview={overview} />
      <Tiles counts={overview.counts} />
      <RequestCharts hours={overview.hours} />
      <div class="halves">
        <OpenOpportunities counts={overview.counts} catalog={catalog} />
        <Integrations integrations={overview.integrations} />
      </div>
    </>
  );
}

function Tiles({ counts }: Pick<Overview, "counts">) {
  const changes = useLoad(countChanges, "", "changes");
  return (
    <>
      <ul class="tiles">
        {entities.map((entity) => {
          const total = counts[collections[entity]];
          const changed = changes.value?.get(entity);
          return (
            <li key={entity} class="card">
              <a href={href([collections[entity]])}>{texts.collections[collections[entity]]}</a>
              <strong>{total === undefined ? "–" : text.count(total.count, total.isMinimum)}</strong>
              {/* The space keeps the height until the number is there. */}
              <span class="help">
                {changed ? text.changed(text.count(changed.count, changed.isMinimum)) : "\u00a0"}
              </span>
            </li>
          );
        })}
      </ul>
      {changes.error && <ErrorNotice error={changes.error} />}
    </>
  );
}

function RequestCharts({ hours }: Pick<Overview, "hours">) {
  const requests = hours.map((hour) => ({ ...hour, at: hour.key ?? "" }));
  const counts = byPeriod(requests, Date.now(), lastDay, ({ count }) => count);
  const chart = (title: string, values: readonly number[]) => {
    const sum = values.reduce((total, value) => total + value, 0);
    return <Chart title={title} summary={displayNumber(sum)} values={values} scale={counts} />;
  };
  return (
    <section>
      <h2>{text.lastDay}</h2>
      <div class="charts">
        {chart(text.requests, counts)}
        {chart(texts.system.errors, byPeriod(requests, Date.now(), lastDay, failuresOf))}
      </div>
      <details>
        <summary>{text.byHour}</summary>
        <Table
          caption={text.byHour}
          rows={requests}
          keyOf={({ at }) => at}
          empty={text.noRequests}
          columns={[
            { label: text.hour, render: ({ at }) => formatTime(at) },
            { label: text.requests, isNumeric: true, render: ({ count }) => displayNumber(count) },
            { label: texts.system.errors, isNumeric: true, render: (hour) => displayNumber(failuresOf(hour)) },
          ]}
        />
      </details>
    </section>
  );
}

function failuresOf({ clientErrors, serverErrors }: RequestTotal): number {
  return clientErrors + serverErrors;
}

function Attention({ overview }: { readonly overview: Overview }) {
  const checks = useLoad((signal) => runChecks(failingOf(overview), signal), "", "checks");
  const problems = problemsOf(overview, checks.value, Date.now());
  const lastBackup = overview.system?.backups?.lastAt;
  return (
    <section class="attention">
      <h2>{text.attention}</h2>
      <ul class="links">
        {problems.map(({ message, link, key = message }) => (
          <li key={key}>
            <Icon node={TriangleAlert} />
            {link === undefined ? message : <a href={link}>{message}</a>}
          </li>
        ))}
      </ul>
      <LoadStatus of={checks} />
      {checks.value !== undefined && checks.value.unchecked > 0 && (
        <p class="help">
          <a href={href(["fields"])}>{text.unchecked(checks.value.unchecked)}</a>
        </p>
      )}
      {problems.length === 0 && checks.value && <p class="help">{text.nothing}</p>}
      {lastBackup && (
        <p class="help">
          <a href={href(["system"])}>{text.lastBackup}</a>: <RelativeTime iso={lastBackup} />
        </p>
      )}
    </section>
  );
}

function OpenOpportunities({ counts, catalog }: { readonly counts: Counts; readonly catalog: Catalog }) {
  const isLoaded = catalog.pipelines.length > 0;
  const rows = stageOptions(catalog).flatMap(({ value, label }) => {
    const found = counts.openOpportunities?.find(({ stageId }) => stageId === value);
    return found === undefined ? [] : [{ ...found, label }];
  });
  return (
    <section>
      <h2>{text.open}</h2>
      <Table
        isDense
        caption={text.open}
        rows={rows}
        keyOf={({ stageId }) => stageId}
        empty={isLoaded || !counts.openOpportunities?.length ? text.noOpportunities : <Loading />}
        columns={[
          {
            label: texts.kinds.stage,
            render: ({ stageId, label }) => (
              <a href={href([collections.opportunity], { status: "open", stageId })} dir="auto">
                {label}
              </a>
            ),
          },
          { label: text.number, isNumeric: true, render: ({ count, isMinimum }) => text.count(count, isMinimum) },
          {
            label: text.sum,
            isNumeric: true,
            render: ({ amounts }) =>
              amounts.length === 0
                ? "–"
                : amounts.map(({ sum, currency }, index) => (
                    <>
                      {index > 0 && ", "}
                      <span class="nowrap">{formatAmount(sum, currency)}</span>
                    </>
                  )),
          },
        ]}
      />
    </section>
  );
}

function Integrations({ integrations }: { readonly integrations: readonly Integration[] }) {
  return (
    <section>
      <h2>{text.integrations}</h2>
      <Table
        isDense
        caption={text.integrations}
        rows={integrations}
        keyOf={({ id }) => id}
        empty={text.noIntegrations}
        columns={[
          {
            label: texts.requests.integration,
            render: ({ id, name }) => (
              <a href={href(["integrations", id])} dir="auto">
                {name}
              </a>
            ),
          },
          { label: texts.setUp.keys.lastUsed, render: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} /> },
          { label: text.requests, isNumeric: true, render: ({ requests }) => displayNumber(requests) },
          { label: text.failed, isNumeric: true, render: ({ failures }) => displayNumber(failures) },
        ]}
      />
    </section>
  );
}
