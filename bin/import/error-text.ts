import type { ApiError, FieldError } from "#lib";
import type { Target } from "./target.ts";

/**
 * All that an error says, a sentence each, with the column where it is not called as the field is. What it says of
 * `told` is left out: those values were found wrong before, and not sent.
 */
export function describeErrors(
  { message, details }: ApiError,
  called: ReadonlyMap<string, string>,
  told: readonly Target[] = [],
): readonly string[] {
  const problems = (details?.errors ?? []) as readonly FieldError[];
  if (problems.length === 0) {
    const there = typeof details?.existingId === "string" ? ` It is ${details.existingId}.` : "";
    return [message + there];
  }
  const more = Number(details?.errorCount ?? problems.length) - problems.length;
  const words = problems
    .filter(({ path }) => !told.some(({ name }) => namesOf(path).includes(name)))
    .map(({ path, message }) => {
      const column = namesOf(path).flatMap((name) => called.get(name) ?? [])[0];
      return column === undefined ? message : `${message.replace(/\.$/, "")} (column "${column}").`;
    });
  return more > 0 ? [...words, `And ${more} more.`] : words;
}

/** `/address/city` is a value of `address.city`, `/contactIds/0` of `contactIds`. */
function namesOf(path: string): readonly string[] {
  const [field = "", member] = path.slice(1).split("/");
  return member === undefined ? [field] : [`${field}.${member}`, field];
}
