import type { Arrives } from "./power-loss-disk.ts";
import type { Event } from "./power-loss-log.ts";
import { dice, seed } from "./size.ts";

/** A power loss: after how many events of the log it comes, and what of the unsynced changes is there afterwards. */
export type Loss = {
  /** Which of the losses of a run it is. */
  readonly state: number;
  readonly place: number;
  /** What is there, in words. */
  readonly plan: string;
  readonly arrives: Arrives;
  /** What stands where nothing was ever written: a byte. */
  readonly rubbish: () => number;
};

type Plan = (place: number, dice: () => number) => Arrives;

/** How far back a cut through the unsynced changes may lie, in events: a large commit or a checkpoint has some hundred. */
const cutRange = 300;

const plans: Readonly<Record<string, Plan>> = {
  "nothing that was not synced": () => () => false,
  "everything, synced or not": () => () => true,
  "the unsynced changes up to a moment, the last one torn": (place, dice) => {
    const cut = place - Math.floor(dice() * Math.min(place, cutRange));
    return (change) => (change === cut ? dice() < 0.5 : change < cut);
  },
  "only the unsynced changes after a moment, the first one torn": (place, dice) => {
    const cut = place - Math.floor(dice() * Math.min(place, cutRange));
    return (change) => (change === cut ? dice() < 0.5 : change > cut);
  },
  "any half of the unsynced sectors, sizes and names": (_, dice) => () => dice() < 0.5,
  "few of the unsynced sectors, sizes and names": (_, dice) => () => dice() < 0.05,
  "almost all of the unsynced sectors, sizes and names": (_, dice) => () => dice() < 0.97,
  "all unsynced names and sizes, but no bytes": () => (_, part) => typeof part === "string",
  "all unsynced bytes and sizes, but no names": () => (_, part) => part !== "name",
  "all unsynced bytes and names, but no sizes": () => (_, part) => part !== "size",
};

/** Which power losses of a run: how many, from which number on, and none before this event. */
export type Which = { readonly count: number; readonly from?: number; readonly since?: number };

/** The losses in the order of the log. Each has dice of its own, so it stays the same however many there are. */
export function losses(events: readonly Event[], { count, from = 0, since = 0 }: Which): Loss[] {
  const moments = Object.values(stakes(events)).map((places) => places.filter((place) => place >= since));
  const all = Array.from({ length: count }, (_, index) => {
    const state = from + index;
    const own = dice(seed + 7919 * (state + 1));
    const places = moments[state % moments.length] ?? [];
    const place = places[Math.floor(own() * places.length)] ?? since;
    return lossAt(state, place, Math.floor(state / moments.length), own);
  });
  return all.sort((one, other) => one.place - other.place);
}

/** The plan with this number, counted round. */
function lossAt(state: number, place: number, number: number, dice: () => number): Loss {
  const [name, plan] = Object.entries(plans)[number % Object.keys(plans).length] as [string, Plan];
  const zeros = dice() < 0.5;
  return {
    state,
    place,
    plan: `${name}; ${zeros ? "zeros" : "rubbish"} where nothing was written`,
    arrives: plan(place, dice),
    rubbish: () => (zeros ? 0 : Math.floor(dice() * 256)),
  };
}

/** Moments at which more is at stake than at others, as numbers of events before them. */
function stakes(events: readonly Event[]): Readonly<Record<string, readonly number[]>> {
  const places = (is: (event: Event, index: number) => boolean): number[] =>
    events.flatMap((event, index) => (is(event, index) ? [index] : []));
  const rare = new Set(["start", "create", "folder", "link", "unlink", "rename"]);
  return {
    "right after an answer": places(({ kind }) => kind === "said").map((place) => place + 1),
    "right before a sync": places(({ kind }) => kind === "sync"),
    "right after a sync": places(({ kind }) => kind === "sync").map((place) => place + 1),
    "around a change of names": places(({ kind }) => rare.has(kind)).flatMap((place) => [place, place + 1]),
    "at any moment": [...events.keys()],
  };
}
