import type { Pipeline, Stage } from "../records/pipeline.ts";
/** The pipeline of what names none: the default one, or the oldest where none is. */
export declare function firstPipeline(pipelines: readonly Pipeline[]): Pipeline | undefined;
/** Stages as they follow each other; those that share a place by their ids. */
export declare function inOrder(stages: readonly Stage[]): readonly Stage[];
