import type { Pipeline, Stage } from "../../model/pipeline.ts";

/** Returns the default pipeline, or the oldest one if none is the default. */
export function defaultPipeline(pipelines: readonly Pipeline[]): Pipeline | undefined {
  const oldestFirst = pipelines.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return oldestFirst.find(({ isDefault }) => isDefault) ?? oldestFirst[0];
}

/** Sorts stages by their order, and by their ID if the order is equal. */
export function sortStages(stages: readonly Stage[]): readonly Stage[] {
  return stages.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}
