import type { FieldError } from "crm-integrations/client";
import { Lock } from "lucide";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { collections, type Entity } from "../names.ts";
import { texts, valueLabel } from "../texts.ts";
import { describeError } from "../ui/error-text.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { type FieldSchema, schemaFields } from "./schema-fields.ts";

/** A change of the stage or the status, and what is missing for it. */
type Transition = {
  readonly to: { readonly stageId?: string; readonly stageName?: string; readonly status?: string };
  readonly allowed: boolean;
  readonly missing?: readonly FieldError[];
  readonly conflict?: { readonly code: string; readonly message: string; readonly reason?: string };
};

type TransitionsProps = {
  readonly entity: Entity;
  readonly record: CrmRecord;
  /** The fields of the form, which name what is missing. */
  readonly fields: readonly FieldSpec[];
  onChanged(): void;
};

/** Moves a record to another stage or status. A move with missing fields asks for them first. */
export function Transitions({ entity, record, fields, onChanged }: TransitionsProps) {
  const path = `api/v1/${collections[entity]}/${record.id}`;
  const transitions = useLoad(
    (signal) => call<readonly Transition[]>("GET", `${path}/transitions`, { signal }).then(({ data }) => data),
    record.updatedAt,
  );
  const [asking, setAsking] = useState<Transition | undefined>();
  const move = useAction((body: object) => call("PATCH", path, { body, ifMatch: record.updatedAt }));

  async function send(to: Transition["to"], body: object = {}): Promise<void> {
    const { stageId, status } = to;
    const target = stageId === undefined ? { status } : { stageId };
    if ((await move.run({ ...body, ...target })) !== undefined) onChanged();
  }

  if (transitions.error) return <ErrorNotice error={transitions.error} />;
  const choices = transitions.value ?? [];
  const stages = choices.filter(({ to }) => to.stageId !== undefined);
  const statuses = choices.filter(({ to }) => to.status !== undefined && to.status !== record.status);
  const choose = (chosen: Transition): unknown => (chosen.allowed ? send(chosen.to) : setAsking(chosen));
  return (
    <section class="card" aria-label={texts.records.moves}>
      {stages.length > 0 && (
        <ol class="stage-bar">
          {stages.map((each) => (
            <li key={each.to.stageId}>
              <Move
                transition={each}
                fields={fields}
                isCurrent={each.to.stageId === record.stageId}
                isRunning={move.isRunning}
                onChoose={() => choose(each)}
              />
            </li>
          ))}
        </ol>
      )}
      <ul class="moves">
        {statuses.map((each) => (
          <li key={each.to.status}>
            <Move transition={each} fields={fields} isRunning={move.isRunning} onChoose={() => choose(each)} />
          </li>
        ))}
      </ul>
      {asking && (
        <MissingFields
          key={asking.to.stageId ?? asking.to.status}
          entity={entity}
          record={record}
          transition={asking}
          move={move}
          onSubmit={(body) => send(asking.to, body)}
          onCancel={() => {
            setAsking(undefined);
            move.clear();
          }}
        />
      )}
      {move.error && !asking && <ErrorNotice error={move.error} focus />}
    </section>
  );
}

type MoveProps = {
  readonly transition: Transition;
  readonly fields: readonly FieldSpec[];
  readonly isCurrent?: boolean;
  readonly isRunning: boolean;
  onChoose(): void;
};

/** A button that moves the record, with what is missing for it. */
function Move({ transition, fields, isCurrent, isRunning, onChoose }: MoveProps) {
  const { to, missing = [], conflict } = transition;
  const name = nameOfTarget(to);
  const labels = missing.map(({ path }) => fields.find((field) => field.path === path)?.label ?? path.slice(1));
  const notes = [
    ...(labels.length > 0 ? [texts.records.needs(labels)] : []),
    ...(conflict ? [describeError({ ...conflict, details: { reason: conflict.reason } }).text] : []),
  ];
  if (isCurrent)
    return (
      <span class="stage current" aria-current="step">
        {name}
      </span>
    );
  return (
    <>
      <button
        type="button"
        class={to.stageId === undefined ? undefined : "stage"}
        aria-label={texts.records.moveTo(name)}
        disabled={isRunning || conflict !== undefined}
        onClick={onChoose}
      >
        {notes.length > 0 && <Icon node={Lock} />}
        {name}
      </button>
      {notes.length > 0 && <span class="help">{notes.join(" ")}</span>}
    </>
  );
}

function nameOfTarget({ stageName, status = "" }: Transition["to"]): string {
  return stageName ?? valueLabel(status);
}

type MissingFieldsProps = {
  readonly entity: Entity;
  readonly record: CrmRecord;
  readonly transition: Transition;
  readonly move: {
    readonly isRunning: boolean;
    readonly error: Parameters<typeof ErrorNotice>[0]["error"] | undefined;
  };
  onSubmit(body: object): void;
  onCancel(): void;
};

function MissingFields({ entity, record, transition, move, onSubmit, onCancel }: MissingFieldsProps) {
  const { stageId, status } = transition.to;
  const fields = useLoad(async (signal) => {
    const query = { for: "update", ...(stageId === undefined ? { status } : { stageId }) };
    const schema = await call<FieldSchema>("GET", `api/v1/schema/${entity}`, {
      query: entity === "opportunity" ? query : { for: "update" },
      signal,
    });
    const paths = (transition.missing ?? []).map(({ path }) => path);
    return schemaFields(schema.data)
      .filter(({ path }) => paths.some((each) => each === path || each.startsWith(`${path}/`)))
      .map((field) => withOptions(field, transition.missing));
  }, "");
  if (fields.error) return <ErrorNotice error={fields.error} />;
  if (fields.value === undefined) return null;
  return (
    <>
      <h2>{texts.records.missingFor(nameOfTarget(transition.to))}</h2>
      <Form
        fields={fields.value.map((field) => ({ ...field, group: undefined, required: true }))}
        record={record}
        submitLabel={texts.records.moveTo(nameOfTarget(transition.to))}
        isRunning={move.isRunning}
        error={move.error}
        stage={transition.to.stageName}
        onSubmit={onSubmit}
        onCancel={onCancel}
      />
    </>
  );
}

/** The pipeline can allow only some texts, such as reasons of lost opportunities. */
function withOptions<F extends { path: string }>(field: F, missing: Transition["missing"]): F {
  const found = missing?.find(({ path }) => path === field.path) as { allowed?: readonly string[] } | undefined;
  const allowed = found?.allowed;
  if (allowed === undefined || allowed.length === 0) return field;
  return { ...field, input: "select", options: allowed.map((value) => ({ value, label: value })) };
}
