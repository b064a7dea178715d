import { seed, seededRandom } from "../size.ts";
import type { Persists } from "./disk.ts";
import type { Event } from "./event-log.ts";

/** A power loss: the number of events before it, and which unsynced changes are on the disk after it. */
export type Loss = {
  /** Its number in the run. */
  readonly state: number;
  readonly position: number;
  /** A description of what is on the disk. */
  readonly plan: string;
  readonly persists: Persists;
  /** Returns a byte for a sector that was never written. */
  readonly garbage: () => number;
};

type Plan = (position: number, random: () => number) => Persists;

/** The maximum distance in events from a cut in the unsynced changes to the power loss. A large commit has hundreds. */
const cutRange = 300;

const plans: Readonly<Record<string, Plan>> = {
  "no unsynced changes": () => () => false,
  "all unsynced changes": () => () => true,
  "the unsynced changes before a point, the last one torn": (position, random) => {
    const cut = position - Math.floor(random() * Math.min(position, cutRange));
    return (change) => (change === cut ? random() < 0.5 : change < cut);
  },
  "only the unsynced changes after a point, the first one torn": (position, random) => {
    const cut = position - Math.floor(random() * Math.min(position, cutRange));
    return (change) => (change === cut ? random() < 0.5 : change > cut);
  },
  "a random half of the unsynced sectors, sizes and names": (_, random) => () => random() < 0.5,
  "few of the unsynced sectors, sizes and names": (_, random) => () => random() < 0.05,
  "almost all of the unsynced sectors, sizes and names": (_, random) => () => random() < 0.97,
  "all unsynced names and sizes, but no bytes": () => (_, part) => typeof part === "string",
  "all unsynced bytes and sizes, but no names": () => (_, part) => part !== "name",
  "all unsynced bytes and names, but no sizes": () => (_, part) => part !== "size",
};

/** The power losses of a run: how many, their first number, and the first event. */
export type LossSelection = { readonly count: number; readonly from?: number; readonly since?: number };

/**
 * Returns the losses in the order of the events. Each has its own random numbers: its state doesn't depend on `count`.
 */
export function losses(events: readonly Event[], { count, from = 0, since = 0 }: LossSelection): Loss[] {
  const candidates = Object.values(criticalPositions(events)).map((positions) =>
    positions.filter((position) => position >= since),
  );
  const all = Array.from({ length: count }, (_, index) => {
    const state = from + index;
    const random = seededRandom(seed + 7919 * (state + 1));
    const positions = candidates[state % candidates.length] ?? [];
    const position = positions[Math.floor(random() * positions.length)] ?? since;
    return lossAt(state, position, Math.floor(state / candidates.length), random);
  });
  return all.sort((one, other) => one.position - other.position);
}

/** Returns a loss with the plan of this number, modulo the number of plans. */
function lossAt(state: number, position: number, number: number, random: () => number): Loss {
  const [name, plan] = Object.entries(plans)[number % Object.keys(plans).length] as [string, Plan];
  const zeros = random() < 0.5;
  return {
    state,
    position,
    plan: `${name}; ${zeros ? "zeros" : "garbage"} in sectors that were never written`,
    persists: plan(position, random),
    garbage: () => (zeros ? 0 : Math.floor(random() * 256)),
  };
}

/** Returns the critical times of a run, as the number of events before each. */
function criticalPositions(events: readonly Event[]): Readonly<Record<string, readonly number[]>> {
  const positions = (is: (event: Event, index: number) => boolean): number[] =>
    events.flatMap((event, index) => (is(event, index) ? [index] : []));
  const nameChanges = new Set(["start", "create", "folder", "link", "unlink", "rename"]);
  return {
    "right after an output": positions(({ kind }) => kind === "output").map((position) => position + 1),
    "right before a sync": positions(({ kind }) => kind === "sync"),
    "right after a sync": positions(({ kind }) => kind === "sync").map((position) => position + 1),
    "around a change of names": positions(({ kind }) => nameChanges.has(kind)).flatMap((position) => [
      position,
      position + 1,
    ]),
    "at any time": [...events.keys()],
  };
}
