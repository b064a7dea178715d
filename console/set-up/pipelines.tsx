import { fieldLabel, texts } from "../texts.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { type Resource, readLists } from "./resource.ts";
import { flagColumn } from "./simple-resources.tsx";
import { StageList } from "./stage-list.tsx";
import { stagesOf } from "./stages.ts";

const { labels, help } = texts.setUp;

export const pipelines: Resource = {
  name: "pipelines",
  route: ["pipelines"],
  load: (signal) => readLists(["stages"], signal),
  nameOf: ({ name }) => String(name),
  columns: (context) => [
    {
      label: labels.stages,
      render: ({ id }) =>
        stagesOf(id, context)
          .map(({ name }) => String(name))
          .join(" → ") || "–",
    },
    flagColumn("isDefault", labels.isDefault),
  ],
  fields: () => [
    { path: "/name", label: fieldLabel("name"), input: "text", required: true },
    newStages,
    { path: "/isDefault", label: labels.isDefault, help: help.isDefault, input: "checkbox" },
    { path: "/lostReasons", label: labels.lostReasons, help: help.lostReasons, input: "lines" },
    { path: "/requireLostReason", label: labels.requireLostReason, help: help.requireLostReason, input: "checkbox" },
  ],
  initial: () => ({ stages: [{}] }),
  Extra: ({ record }) => <StageList pipeline={record} />,
};

const newStages: FieldSpec = {
  path: "/stages",
  label: labels.stages,
  help: help.newStages,
  input: "rows",
  required: true,
  createOnly: true,
  columns: [
    { name: "name", label: fieldLabel("name") },
    { name: "probability", label: labels.probability, isNumber: true },
  ],
};
