import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Moves the focus to the title of the screen. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}

/** Whether the element that had the focus was removed or disabled. */
export function isFocusLost(): boolean {
  return document.activeElement === document.body;
}

/** Returns a reference to an element that gets the focus, and a function to call before what has the focus is removed. */
export function useFallbackFocus<E extends HTMLElement>(): [element: RefObject<E | null>, expectLoss: () => void] {
  const element = useRef<E>(null);
  const isExpected = useRef(false);
  useLayoutEffect(() => {
    if (!isExpected.current || !isFocusLost()) return;
    isExpected.current = false;
    element.current?.focus();
  });
  return [
    element,
    () => {
      isExpected.current = true;
    },
  ];
}
