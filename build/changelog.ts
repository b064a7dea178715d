const heading = "## Unreleased\n";

/**
 * Returns the changelog with the unreleased changes under a heading with the version and the date, below an empty
 * section for the next changes. Undefined if there are no unreleased changes.
 */
export function withRelease(changelog: string, version: string, date: Date): string | undefined {
  const [before, rest] = changelog.split(heading);
  if (before === undefined || rest === undefined) return undefined;
  const next = rest.search(/^## /m);
  const [changes, released] = next === -1 ? [rest, ""] : [rest.slice(0, next), rest.slice(next)];
  if (changes.trim() === "") return undefined;
  return `${before}${heading}\n## ${version} - ${date.toISOString().slice(0, 10)}\n${changes}${released}`;
}
