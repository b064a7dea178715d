import { openWriter } from "../../../lib/storage/sqlite/open.ts";
import { steps } from "./migration-steps.ts";

/** Opens the file that is named as a program with more migrations would, and closes it. */
openWriter(process.argv[2] ?? "", steps).close();
