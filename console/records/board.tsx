import type { Counts, FieldError, Pipeline } from "crm-integrations/client";
import { List, Plus } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { useCatalog } from "../catalog.ts";
import { nameOf, rememberNames, useNames } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { ChoiceMenu } from "../ui/choice-menu.tsx";
import { namedOptions, Options } from "../ui/choices.tsx";
import { formatDate } from "../ui/date-text.ts";
import { describeFieldError } from "../ui/error-text.ts";
import { Icon } from "../ui/icon.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { type CrmRecord, formatAmount } from "./record-columns.tsx";
import { readFields } from "./schema-fields.ts";

const text = texts.board;
/** The most opportunities that a column shows. */
const maxCards = 25;

type Stage = Pipeline["stages"][number];
type Columns = ReadonlyMap<string, readonly CrmRecord[]>;

/** The open opportunities of a pipeline by stage. */
export function Board({ query }: { readonly query: URLSearchParams }) {
  const { pipelines } = useCatalog();
  const wanted = query.get("pipelineId");
  const pipeline = pipelines.find(({ id, isDefault }) => (wanted === null ? isDefault : id === wanted)) ?? pipelines[0];
  return (
    <Page
      title={text.title}
      actions={
        <>
          <a class="button" href={href(["opportunities"])}>
            <Icon node={List} />
            {text.list}
          </a>
          <a class="button primary" href={href(["opportunities", "new"], { pipelineId: pipeline?.id })}>
            <Icon node={Plus} />
            {texts.records.create(texts.kinds.opportunity)}
          </a>
        </>
      }
    >
      {pipelines.length > 1 && (
        <nav class="tabs" aria-label={texts.kinds.pipeline}>
          {pipelines.map(({ id, name }) => (
            <a
              key={id}
              href={href(["board"], { pipelineId: id })}
              aria-current={id === pipeline?.id ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      )}
      {pipeline === undefined ? <Loading /> : <Stages key={pipeline.id} stages={pipeline.stages} />}
    </Page>
  );
}

function Stages({ stages }: { readonly stages: readonly Stage[] }) {
  const loaded = useLoad(async (signal) => {
    const readCards = (stageId: string) => {
      const query = { status: "open", stageId, order: "-updatedAt", limit: maxCards };
      return read<readonly CrmRecord[]>("api/v1/opportunities", { query, signal });
    };
    const [counts, ...lists] = await Promise.all([
      read<Counts>("api/v1/counts", { signal }),
      ...stages.map(({ id }) => readCards(id)),
    ]);
    rememberNames(lists.flat());
    const columns: Columns = new Map(stages.map(({ id }, index) => [id, lists[index] ?? []]));
    return { columns, totals: counts.openOpportunities ?? [] };
  }, "");
  const cards = [...(loaded.value?.columns.values() ?? [])].flat();
  const accounts = useNames(
    "account",
    cards.map(({ accountId }) => accountId as string | null),
  );
  const [moved, setMoved] = useState<{ readonly record: CrmRecord; readonly stage: string | undefined }>();
  const [announcement, setAnnouncement] = useState("");
  const movedId = useRef<string | undefined>(undefined);
  const move = useAction((record: CrmRecord, stageId: string) =>
    call("PATCH", `api/v1/opportunities/${record.id}`, { body: { stageId }, ifMatch: record.updatedAt }),
  );

  async function moveTo(record: CrmRecord | undefined, stageId: string): Promise<void> {
    if (record === undefined || record.stageId === stageId) return;
    const stage = stages.find(({ id }) => id === stageId)?.name ?? "";
    setMoved({ record, stage });
    setAnnouncement("");
    const result = await move.run(record, stageId);
    if (result !== undefined) setAnnouncement(text.movedTo(nameOf(record), stage));
    loaded.reload();
  }

  if (loaded.error || loaded.value === undefined) return <LoadStatus of={loaded} />;
  const isStale = move.error?.details.reason === "stale";
  const { columns, totals } = loaded.value;
  return (
    <>
      {move.error && moved && (
        <ErrorNotice error={move.error} focus hidesMessage={isStale || move.error.fieldErrors.length > 0}>
          {isStale && <p>{text.stale}</p>}
          {move.error.fieldErrors.length > 0 && <FieldErrors errors={move.error.fieldErrors} stage={moved.stage} />}
          <p>
            <a href={href(["opportunities", moved.record.id])}>{text.open(nameOf(moved.record))}</a>
          </p>
        </ErrorNotice>
      )}
      <p role="status" class="visually-hidden">
        {announcement}
      </p>
      <div class="board">
        {stages.map((stage) => {
          const total = totals.find(({ stageId }) => stageId === stage.id);
          const sums = total?.amounts.map(({ sum, currency }) => formatAmount(sum, currency)).join(", ");
          return (
            <section
              key={stage.id}
              aria-label={stage.name}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault();
                const id = event.dataTransfer?.getData("text/plain");
                void moveTo(
                  cards.find((card) => card.id === id),
                  stage.id,
                );
              }}
            >
              <h2 dir="auto">
                {stage.name} <span class="help">{total ? texts.overview.count(total.count, total.isMinimum) : 0}</span>
              </h2>
              <p class="help">{sums}</p>
              <ul>
                {columns.get(stage.id)?.map((record) => (
                  <Card
                    key={record.id}
                    record={record}
                    account={accounts.get(String(record.accountId))}
                    stages={stages}
                    isLocked={move.isRunning}
                    movedId={movedId}
                    onMove={(stageId) => moveTo(record, stageId)}
                  />
                ))}
              </ul>
              {(total?.count ?? 0) > maxCards && (
                <a href={href(["opportunities"], { status: "open", stageId: stage.id })}>{text.all}</a>
              )}
            </section>
          );
        })}
      </div>
    </>
  );
}

type FieldErrorsProps = { readonly errors: readonly FieldError[]; readonly stage: string | undefined };

/** The errors of a move, with the labels of the fields. */
function FieldErrors({ errors, stage }: FieldErrorsProps) {
  const fields = useLoad((signal) => readFields("opportunity", "update", signal), "");
  if (fields.value === undefined && !fields.error) return <Loading />;
  return (
    <ul>
      {errors.map((each) => (
        <li key={each.path}>{describeFieldError(each, { fields: fields.value, stage })}</li>
      ))}
    </ul>
  );
}

type CardProps = {
  readonly record: CrmRecord;
  readonly account: string | undefined;
  readonly stages: readonly Stage[];
  readonly isLocked: boolean;
  /** The card that was moved while its menu had the focus. It gets it again in its new column. */
  readonly movedId: { current: string | undefined };
  onMove(stageId: string): void;
};

/** An opportunity, which moves by dragging or by a menu. */
function Card({ record, account, stages, isLocked, movedId, onMove }: CardProps) {
  const { id, amount, currency, expectedCloseDate, stageId } = record;
  const menuId = `stage-${id}`;
  useEffect(() => {
    if (movedId.current !== id) return;
    movedId.current = undefined;
    document.getElementById(menuId)?.focus();
  }, []);
  return (
    <li class="card" draggable={!isLocked} onDragStart={(event) => event.dataTransfer?.setData("text/plain", id)}>
      <a href={href(["opportunities", id])} dir="auto" draggable={false}>
        {nameOf(record)}
      </a>
      {account !== undefined && (
        <span class="help" dir="auto">
          {account}
        </span>
      )}
      <span class="row">
        {typeof amount === "number" && <strong>{formatAmount(amount, currency)}</strong>}
        {typeof expectedCloseDate === "string" && <span class="help">{formatDate(expectedCloseDate)}</span>}
      </span>
      <ChoiceMenu
        id={menuId}
        label={text.stageOf(nameOf(record))}
        value={String(stageId)}
        disabled={isLocked}
        onChoose={(chosen, menu) => {
          movedId.current = menu.matches(":focus") ? id : undefined;
          onMove(chosen);
        }}
      >
        <Options options={namedOptions(stages)} />
      </ChoiceMenu>
    </li>
  );
}
