import type { FieldError } from "crm-integrations/client";
import { Lock } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { loadCatalog } from "../catalog.ts";
import { collections, type Entity } from "../names.ts";
import { fieldLabel, texts, valueLabel } from "../texts.ts";
import { ConflictNotice, isConflict } from "../ui/conflict-notice.tsx";
import { describeError, labelAt } from "../ui/error-text.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Icon } from "../ui/icon.tsx";
import { useAction, useLast, useLoad } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { SaveForm } from "../ui/save-form.tsx";
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
  /** Reads the record again after a conflict. */
  onReload(): void;
};

const lostReasonPath = "/lostReason";

/** Moves a record to another stage or status. A move with missing fields asks for them first. */
export function Transitions({ entity, record, fields, onChanged, onReload }: TransitionsProps) {
  const path = `api/v1/${collections[entity]}/${record.id}`;
  const loaded = useLoad(async (signal) => {
    const [choices, { pipelines }] = await Promise.all([
      read<readonly Transition[]>(`${path}/transitions`, { signal }),
      entity === "opportunity" ? loadCatalog() : { pipelines: [] },
    ]);
    return { choices, lostReasons: pipelines.find(({ id }) => id === record.pipelineId)?.lostReasons ?? [] };
  }, record.updatedAt);
  // The former choices stay until the new ones are there.
  const shown = useLast(loaded.value);
  const [asking, setAsking] = useState<Transition | undefined>();
  /** The button that opened the form. */
  const button = useRef<Element | null>(null);
  const send = ({ stageId, status }: Transition["to"], body: object = {}) =>
    call("PATCH", path, {
      body: { ...body, ...(stageId === undefined ? { status } : { stageId }) },
      ifMatch: record.updatedAt,
    });
  const move = useAction(send);
  useEffect(move.clear, [record.updatedAt]);

  async function choose(chosen: Transition): Promise<void> {
    button.current = document.activeElement;
    // The pipeline can offer reasons without requiring one.
    const offersReasons = chosen.to.status === "lost" && lostReasons.length > 0;
    setAsking(chosen.allowed && !offersReasons ? undefined : chosen);
    move.clear();
    if (chosen.allowed && !offersReasons && (await move.run(chosen.to)) !== undefined) onChanged();
  }

  if (loaded.error) return <ErrorNotice error={loaded.error} />;
  const { choices = [], lostReasons = [] } = shown ?? {};
  const stages = choices.filter(({ to }) => to.stageId !== undefined);
  const statuses = choices.filter(({ to }) => to.status !== undefined && to.status !== record.status);
  const [conflict, ...others] = stages.flatMap((each) => conflictOf(each) ?? []);
  const common = others.length > 0 && others.every((each) => each === conflict) ? conflict : undefined;
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
                knownConflict={common}
                onChoose={() => choose(each)}
              />
            </li>
          ))}
        </ol>
      )}
      {common && <p class="help">{common}</p>}
      {stages.length === 0 && <h2>{fieldLabel("status")}</h2>}
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
          {...{ entity, record, fields, lostReasons, onReload }}
          transition={asking}
          save={(body) => send(asking.to, body)}
          onSaved={() => {
            setAsking(undefined);
            onChanged();
          }}
          onCancel={() => {
            if (button.current instanceof HTMLElement) button.current.focus();
            setAsking(undefined);
          }}
        />
      )}
      {isConflict(move.error) ? (
        <ConflictNotice route={[collections[entity]]} error={move.error} onReload={onReload} />
      ) : (
        move.error && <ErrorNotice error={move.error} focus />
      )}
    </section>
  );
}

type MoveProps = {
  readonly transition: Transition;
  readonly fields: readonly FieldSpec[];
  readonly isCurrent?: boolean;
  readonly isRunning: boolean;
  /** A conflict of several moves, which is explained once. */
  readonly knownConflict?: string | undefined;
  onChoose(): void;
};

/** A button that moves the record, with what is missing for it. */
function Move({ transition, fields, isCurrent, isRunning, knownConflict, onChoose }: MoveProps) {
  const { to, missing = [] } = transition;
  const conflict = conflictOf(transition);
  const name = nameOfTarget(to);
  const labels = missing.map(({ path }) => labelAt(path, fields));
  const notes = [
    ...(labels.length > 0 ? [texts.records.needs(labels)] : []),
    ...(conflict !== undefined && conflict !== knownConflict ? [conflict] : []),
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
        aria-label={to.status === "open" ? undefined : texts.records.moveTo(name)}
        disabled={isRunning || conflict !== undefined}
        onClick={onChoose}
      >
        {(notes.length > 0 || conflict !== undefined) && <Icon node={Lock} />}
        {to.status === "open" ? texts.records.reopen : name}
      </button>
      {notes.length > 0 && <span class="help">{notes.join(" ")}</span>}
    </>
  );
}

function conflictOf({ conflict }: Transition): string | undefined {
  return conflict && describeError({ ...conflict, details: { reason: conflict.reason } }).text;
}

function nameOfTarget({ stageName, status = "" }: Transition["to"]): string {
  return stageName ?? valueLabel(status);
}

type MissingFieldsProps = Pick<TransitionsProps, "entity" | "record" | "fields" | "onReload"> & {
  readonly transition: Transition;
  readonly lostReasons: readonly string[];
  save(body: object): Promise<unknown>;
  onSaved(): void;
  onCancel(): void;
};

/** Asks for what a move needs, and for the reason of a lost opportunity if its pipeline has reasons. */
function MissingFields({ entity, record, fields, transition, lostReasons, ...form }: MissingFieldsProps) {
  const { to, missing = [] } = transition;
  const { stageId, status } = to;
  const needed = useLoad(async (signal) => {
    const query = { for: "update", ...(stageId === undefined ? { status } : { stageId }) };
    const schema = await read<FieldSchema>(`api/v1/schema/${entity}`, {
      query: entity === "opportunity" ? query : { for: "update" },
      signal,
    });
    return schemaFields(schema).flatMap((field) => {
      const { path } = field;
      const isMissing = (at: string) => missing.some((each) => each.path === at || each.path.startsWith(`${at}/`));
      const required = isMissing(path);
      const offersReasons = status === "lost" && path === lostReasonPath && lostReasons.length > 0;
      // An amount has no sum without a currency.
      const offersCurrency = path === "/currency" && isMissing("/amount") && record.currency === null;
      if (!required && !offersReasons && !offersCurrency) return [];
      return { ...withOptions(field, missing, lostReasons), group: undefined, required };
    });
  }, "");
  if (needed.error) return <ErrorNotice error={needed.error} />;
  if (needed.value === undefined) return null;
  return (
    <>
      <h2>{texts.records.missingFor(nameOfTarget(to))}</h2>
      <SaveForm
        {...form}
        fields={needed.value}
        labels={fields}
        record={record}
        savesUnchanged
        submitLabel={texts.records.moveTo(nameOfTarget(to))}
        stage={to.stageName}
        conflict={{ route: [collections[entity]] }}
      />
    </>
  );
}

/** The pipeline can allow only some texts as reasons of lost opportunities. */
function withOptions(field: FieldSpec, missing: readonly FieldError[], lostReasons: readonly string[]): FieldSpec {
  const { allowed = [] } = missing.find(({ path }) => path === field.path) ?? {};
  // An error has only the first values. The lists of an archived pipeline aren't known.
  const values = field.path === lostReasonPath && lostReasons.length > 0 ? lostReasons : allowed;
  if (values.length === 0) return field;
  return { ...field, input: "select", options: values.map((value) => ({ value, label: value })) };
}
