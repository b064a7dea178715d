import { useState } from "preact/hooks";
import { call, readAll } from "../api.ts";
import { resetCatalog } from "../catalog.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { ConflictNotice } from "../ui/conflict-notice.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { MoveButtons, moveItem, useMoveFocus } from "../ui/move-buttons.tsx";
import { LoadStatus } from "../ui/notice.tsx";
import { byText, conflictLinks } from "./resource.ts";
import { ruleFieldName, rules as ruleResource } from "./rules.ts";
import { stages as stageResource } from "./stages.ts";

const text = texts.setUp.stages;

/** The stages of a pipeline in order, with the fields that each requires. */
export function StageList({ pipeline }: { readonly pipeline: CrmRecord }) {
  const resource = stageResource(pipeline.id);
  const loaded = useLoad(async (signal) => {
    const query = { pipelineId: pipeline.id };
    const [stages, rules, context] = await Promise.all([
      readAll<CrmRecord>("api/admin/stages", query, signal),
      readAll<CrmRecord>("api/admin/rules", { entity: "opportunity" }, signal),
      ruleResource.load?.(signal),
    ]);
    return { stages: stages.toSorted(byText("order")), rules, context };
  }, pipeline.id);
  const move = useAction((stageIds: readonly string[]) =>
    call("POST", `api/admin/pipelines/${pipeline.id}/reorder-stages`, { body: { stageIds } }),
  );
  const [message, setMessage] = useState("");
  const moveFocus = useMoveFocus();
  const { stages = [], rules = [], context } = loaded.value ?? {};
  return (
    <section aria-label={text.title}>
      <h2>{text.title}</h2>
      <LoadStatus of={loaded} />
      {move.error && (
        <ConflictNotice
          error={move.error}
          {...conflictLinks(resource)}
          onReload={() => {
            move.clear();
            loaded.reload();
          }}
        />
      )}
      <ol class="stages">
        {stages.map((stage, index) => (
          // The rows stay in place when stages move, so that the focus does too.
          <li key={index} class="card">
            <div class="stage-head">
              <a href={href([...resource.route, stage.id])} dir="auto">
                {String(stage.name)}
              </a>
              <span>
                {stage.probability === null ? text.noProbability : text.probability(Number(stage.probability))}
              </span>
              <MoveButtons
                {...{ index, moveFocus }}
                id="move-stage"
                name={String(stage.name)}
                count={stages.length}
                onMove={async (to) => {
                  if (move.isRunning) return;
                  setMessage("");
                  const isDone = await move.run(moveItem(stages, index, to).map(({ id }) => id));
                  resetCatalog();
                  loaded.reload();
                  if (isDone) setMessage(text.moved(String(stage.name), to + 1));
                }}
              />
            </div>
            <p>
              {text.requires}{" "}
              {rulesOf(stage.id, rules).map((rule, position) => (
                <>
                  {position > 0 && ", "}
                  <a href={href([...ruleResource.route, rule.id])}>
                    {context && ruleFieldName(rule.field, rule.entity, context)}
                  </a>
                </>
              ))}
              {rulesOf(stage.id, rules).length === 0 && text.requiresNothing}
              {" · "}
              <a
                href={href([...ruleResource.route, "new"], { stageId: stage.id })}
                aria-label={text.requireIn(String(stage.name))}
              >
                {text.require}
              </a>
            </p>
          </li>
        ))}
      </ol>
      <p role="status">{message}</p>
      <p class="actions">
        {!pipeline.archivedAt && (
          <a class="button" href={href([...resource.route, "new"])}>
            {texts.setUp.kinds.stages.create}
          </a>
        )}
        <a class="button" href={href(resource.route, { includeArchived: true })}>
          {text.archived}
        </a>
      </p>
    </section>
  );
}

/** Returns the rules that apply to a stage, those for some statuses too. */
function rulesOf(stageId: string, rules: readonly CrmRecord[]): readonly CrmRecord[] {
  return rules.filter(({ when }) => (when as { stageIds?: readonly string[] } | null)?.stageIds?.includes(stageId));
}
