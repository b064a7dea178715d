import type { Pipeline, Stage } from "../../model/pipeline.ts";

/** The pipeline of what names none: the default one, or the oldest where none is. */
export function defaultPipeline(pipelines: readonly Pipeline[]): Pipeline | undefined {
  const oldestFirst = pipelines.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return oldestFirst.find(({ isDefault }) => isDefault) ?? oldestFirst[0];
}

/** Stages as they follow each other; those that share a place by their ids. */
export function sortStages(stages: readonly Stage[]): readonly Stage[] {
  return stages.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}
