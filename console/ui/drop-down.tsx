import type { IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

type DropDownProps = {
  readonly icon: IconNode;
  readonly title: string;
  readonly children: ComponentChildren;
  onToggle?(): void;
};

/** A button that opens a box below it. Escape closes it. */
export function DropDown({ icon, title, children, onToggle }: DropDownProps) {
  return (
    <details
      class="filter-menu"
      onToggle={onToggle}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) close(event.currentTarget);
      }}
    >
      <summary class="button">
        <Icon node={icon} />
        {title}
      </summary>
      {children}
    </details>
  );
}

/** Closes the boxes inside an element. The focus moves from a box to its button. */
export function closeDropDowns(parent: HTMLElement): void {
  for (const box of parent.querySelectorAll<HTMLDetailsElement>("details[open]")) close(box);
}

function close(box: HTMLDetailsElement): void {
  if (box.contains(document.activeElement)) box.querySelector("summary")?.focus();
  box.open = false;
}
