import type { Crm } from "./database.ts";
import type { Row } from "./results.ts";

/** What every question is given. */
export type Bench = {
  /** For files of its own; it is removed in the end. */
  readonly folder: string;
  readonly crm: Crm;
  readonly isQuick: boolean;
  /** How often each side has its turn, and for how long. */
  readonly rounds: number;
  readonly seconds: number;
};

/** One question of the benchmark: what was measured, as rows of the table. */
export type Question = (bench: Bench) => Promise<readonly Row[]>;
