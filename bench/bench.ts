import type { Crm } from "./database.ts";
import type { Row } from "./results.ts";

/** The tools that every question gets. */
export type Bench = {
  /** A folder for files. It is removed at the end. */
  readonly folder: string;
  readonly crm: Crm;
  readonly isQuick: boolean;
  /** The number of rounds per side and their length. */
  readonly rounds: number;
  readonly seconds: number;
};

/** A question of the benchmark. Returns the results as rows of the table. */
export type Question = (bench: Bench) => Promise<readonly Row[]>;
