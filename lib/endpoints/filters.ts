import * as v from "valibot";
import { phoneDigits } from "../model/normalize.ts";
import { describe, jsonSchema, nonEmptyText, queryEmail, queryList, refine, text, uuid } from "../model/scalars.ts";
import { queryWords } from "../model/search-words.ts";

/** A filter of IDs, separated by commas. */
export const idsFilter = describe(
  queryList(uuid, 100),
  "Only the records with these IDs: 1 to 100 UUIDs, separated by commas. Unknown IDs are ignored.",
);

function keysFilter<S extends v.GenericSchema>(item: S, plural: string) {
  return describe(
    queryList(item, 100),
    `Only the records with one of these ${plural}: 1 to 100, separated by commas. Write \`\\,\` for a comma in a value, and ` +
      "`\\\\` for a backslash. Unknown values are ignored.",
  );
}

/** A filter of external IDs, separated by commas. */
export const externalIdsFilter = keysFilter(nonEmptyText(255), "external IDs");

/** A filter of email addresses, separated by commas. */
export const emailsFilter = keysFilter(queryEmail, "email addresses");

/** A filter of names, separated by commas. */
export const namesFilter = keysFilter(nonEmptyText(255), "names");

/** A filter of phone numbers. Its output consists of digits. */
export const phoneFilter = v.pipe(
  text(255),
  jsonSchema({
    pattern: "^[^\\u0000]*[0-9][^\\u0000]*$",
    description:
      "Only the records whose phone number has these digits, or ends in them if there are at least 7. Other characters " +
      "are ignored.",
  }),
  refine("invalid_format", (value) => phoneDigits(value) !== "", "must contain a digit"),
  v.transform(phoneDigits),
);

/** Words that records must have. */
export const wordsFilter = v.pipe(
  nonEmptyText(200),
  jsonSchema({
    pattern: "^[^\\u0000]*[\\p{L}\\p{N}][^\\u0000]*$",
    description:
      "Words to search for, separated by anything but letters and digits. Each must be the start of a word of the " +
      "record. Case and diacritics are ignored.",
    examples: ["café lind"],
  }),
  refine(
    "invalid_format",
    // Folding turns some symbols into letters, which the pattern doesn't accept.
    (text) => text.trim() === "" || (/[\p{L}\p{N}]/u.test(text) && queryWords(text).length > 0),
    "must contain a letter or a digit",
  ),
);
