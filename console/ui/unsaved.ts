import { useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";

/** The forms with changes that aren't saved. */
const forms = new Set<object>();

/** Asks before the user leaves the page or the screen while the form has changes. */
export function useUnsavedChanges(hasChanges: boolean): void {
  const form = useRef({}).current;
  useLayoutEffect(() => {
    if (!hasChanges) return;
    forms.add(form);
    return () => void forms.delete(form);
  }, [hasChanges]);
}

/** Forgets the changes of all forms, because they are saved. */
export function forgetChanges(): void {
  forms.clear();
}

/** Returns whether the screen can be left. Asks the user if there are changes. */
export function mayLeave(): boolean {
  return forms.size === 0 || confirm(texts.form.leave);
}

addEventListener("beforeunload", (event) => {
  if (forms.size > 0) event.preventDefault();
});
