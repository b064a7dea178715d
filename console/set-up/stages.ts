import type { CrmRecord } from "../records/record-columns.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { byText, type Context, type Resource, readLists } from "./resource.ts";

const { labels, help } = texts.setUp;

/** Returns the active stages of a pipeline in order. */
export function stagesOf(pipelineId: string, { lists }: Context): readonly CrmRecord[] {
  const all = lists.stages ?? [];
  return all.filter((stage) => stage.pipelineId === pipelineId && !stage.archivedAt).toSorted(byText("order"));
}

/** Returns the stages of one pipeline, whose screens are below that of the pipeline. */
export function stages(pipelineId: string): Resource {
  return {
    name: "stages",
    route: ["pipelines", pipelineId, "stages"],
    parent: ["pipelines", pipelineId],
    fixed: { pipelineId },
    load: (signal) => readLists(["stages"], signal),
    nameOf: ({ name }) => String(name),
    compare: byText("order"),
    columns: () => [
      { label: labels.order, render: ({ order }) => String(order), isNumeric: true },
      { label: labels.probability, render: ({ probability }) => String(probability ?? "–"), isNumeric: true },
    ],
    fields: () => [
      { path: "/name", label: fieldLabel("name"), input: "text", required: true },
      { path: "/probability", label: labels.probability, help: help.probability, input: "number", nullable: true },
      { path: "/order", label: labels.order, help: help.order, input: "number", required: true },
    ],
    initial: (_query, context) => ({ order: Number(stagesOf(pipelineId, context).at(-1)?.order ?? 0) + 1 }),
  };
}
