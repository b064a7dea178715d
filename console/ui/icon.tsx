import type { IconNode } from "lucide";
import { h } from "preact";

/** A picture next to a text. Screen readers skip it. */
export function Icon({ node }: { readonly node: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {node.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
