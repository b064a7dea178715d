import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

type ChoiceMenuProps = {
  readonly id?: string;
  readonly label?: string;
  readonly value: string;
  readonly disabled?: boolean;
  /** The options. */
  readonly children: ComponentChildren;
  /** Gets another value. The menu shows the former one until it is rendered again. */
  onChoose(value: string, menu: HTMLSelectElement): void;
};

/** A `select` whose choice has an effect at once. Keys go through the closed menu first: Enter chooses, and leaving it. */
export function ChoiceMenu({ label, value, onChoose, ...select }: ChoiceMenuProps) {
  const isChoosing = useRef(false);
  function choose(menu: HTMLSelectElement): void {
    const chosen = menu.value;
    isChoosing.current = false;
    menu.value = value;
    if (chosen !== value) onChoose(chosen, menu);
  }
  return (
    <select
      {...select}
      aria-label={label}
      value={value}
      onPointerDown={() => {
        isChoosing.current = false;
      }}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        if (key === "Escape") currentTarget.value = value;
        if (key === "Enter" && currentTarget.value !== value) {
          event.preventDefault();
          choose(currentTarget);
        } else if (key !== "Tab") isChoosing.current = key !== " " && key !== "Enter" && !event.altKey;
      }}
      onChange={({ currentTarget }) => {
        if (!isChoosing.current) choose(currentTarget);
      }}
      onBlur={({ currentTarget }) => choose(currentTarget)}
    />
  );
}
