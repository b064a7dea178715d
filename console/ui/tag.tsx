import { valueLabel } from "../texts.ts";

const tones: Readonly<Record<string, string>> = {
  won: "good",
  completed: "good",
  active: "good",
  delivering: "good",
  lost: "bad",
  paused: "bad",
  high: "warn",
  expired: "warn",
  retrying: "warn",
};

/** A status, a state or a priority. */
export function Tag({ value, label = valueLabel(value) }: { readonly value: string; readonly label?: string }) {
  return <span class={`tag ${tones[value] ?? ""}`}>{label}</span>;
}
