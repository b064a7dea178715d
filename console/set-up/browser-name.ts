type Names = readonly (readonly [name: string, pattern: RegExp])[];

/** The first match counts: most browsers also name others. */
const browsers: Names = [
  ["Edge", /Edg/],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox|FxiOS/],
  ["Chrome", /Chrom|CriOS/],
  ["Safari", /Safari/],
];
const systems: Names = [
  ["Android", /Android/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS/],
  ["Linux", /Linux/],
];

/** Describes the header User-Agent, such as "Firefox, Windows". Returns the header if it names no known browser. */
export function describeBrowser(userAgent: string): string | undefined {
  const find = (names: Names) => names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(browsers);
  if (browser === undefined) return userAgent === "" ? undefined : userAgent;
  return [browser, find(systems)].filter((name) => name !== undefined).join(", ");
}
