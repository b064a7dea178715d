import { useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";

/** Keeps the focus on the button of the item that was moved. */
export type MoveFocus = { current: string | undefined };

export function useMoveFocus(): MoveFocus {
  const moved = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const button = moved.current === undefined ? null : document.getElementById(moved.current);
    if (button === null) return;
    button.focus();
    moved.current = undefined;
  });
  return moved;
}

/** Returns a list with one item at another place. */
export function moveItem<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const others = items.filter((_, index) => index !== from);
  return [...others.slice(0, to), ...items.slice(from, from + 1), ...others.slice(to)];
}

type MoveButtonsProps = {
  /** Prefix of the IDs of the buttons of the list. */
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly name: string;
  readonly moveFocus: MoveFocus;
  onMove(to: number): void;
};

/** Buttons that move an item of a list up and down. They stay focusable at the ends of the list. */
export function MoveButtons({ id, index, count, name, moveFocus, onMove }: MoveButtonsProps) {
  const directions = [
    ["up", "↑", index - 1, texts.form.moveUp(name)],
    ["down", "↓", index + 1, texts.form.moveDown(name)],
  ] as const;
  return (
    <span class="move-buttons">
      {directions.map(([direction, sign, to, label]) => {
        const isPossible = to >= 0 && to < count;
        return (
          <button
            key={direction}
            id={`${id}-${index}-${direction}`}
            type="button"
            aria-label={label}
            aria-disabled={!isPossible}
            onClick={() => {
              if (!isPossible) return;
              moveFocus.current = `${id}-${to}-${direction}`;
              onMove(to);
            }}
          >
            {sign}
          </button>
        );
      })}
    </span>
  );
}
