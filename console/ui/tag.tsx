import { valueLabel } from "../texts.ts";

const tones: Readonly<Record<string, string>> = { won: "good", completed: "good", lost: "bad", high: "warn" };

/** A status or a priority. */
export function Tag({ value }: { readonly value: string }) {
  return <span class={`tag ${tones[value] ?? ""}`}>{valueLabel(value)}</span>;
}
