import * as v from "valibot";
import { describe, integer, jsonSchema } from "../model/scalars.ts";

/** The most records of a kind, and the most open opportunities, that a request counts. */
export const maxCounted = 10_000;

const count = describe(integer(0), "Number of records, without archived ones unless the list includes them.");
const isMinimum = describe(v.boolean(), "Whether there can be more than `count` records.");

/** The schema of a number of records. */
export const recordCount = v.pipe(
  v.strictObject({ count, isMinimum }),
  jsonSchema({ title: "RecordCount", description: "The number of records of a kind or of a list, at most 10,000." }),
);
