/** The keys of the object that a text of JSON is which stand in it more than once: `JSON.parse` keeps the last of them. */
export function repeatedKeys(json: string): readonly string[] {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  let depth = 0;
  for (const [token, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (key !== undefined && depth === 1) {
      const name = JSON.parse(key) as string;
      (seen.has(name) ? repeated : seen).add(name);
    }
  }
  return [...repeated];
}
