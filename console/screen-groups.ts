import { collections } from "../lib/transfer/entities.ts";

/** Groups of screens by the first part of the path. A group is loaded when the user first opens one of its screens. */
export const groupPaths = {
  records: ["board", "search", ...Object.values(collections)],
  settings: [
    "company",
    "fields",
    "rules",
    "pipelines",
    "users",
    "grants",
    "webhooks",
    "integrations",
    "requests",
    "system",
    "welcome",
    "import",
    "export",
  ],
} as const;

export type GroupName = keyof typeof groupPaths;

/** Returns the group of a screen, undefined for a screen that is always loaded and for an unknown path. */
export function groupOf(path: string): GroupName | undefined {
  const names = Object.keys(groupPaths) as GroupName[];
  return names.find((name) => groupPaths[name].some((each) => each === path));
}

/** Whether a path is that of the overview. */
export function isOverview(path: string): boolean {
  return path === "" || path === "overview";
}
