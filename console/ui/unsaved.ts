import { useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";

/** The forms with changes that aren't saved, and their questions. */
const forms = new Map<object, string>();

/**
 * Asks before the user leaves the page or the screen while the form has changes. Returns a function that forgets them.
 */
export function useUnsavedChanges(hasChanges: boolean, question: string = texts.form.leave): () => void {
  const form = useRef({}).current;
  useLayoutEffect(() => {
    if (!hasChanges) return;
    forms.set(form, question);
    return () => void forms.delete(form);
  }, [hasChanges, question]);
  return () => void forms.delete(form);
}

/** Forgets the changes of all forms, because they are saved. */
export function forgetChanges(): void {
  forms.clear();
}

/** Returns whether the screen can be left. Asks the user if there are changes. */
export function mayLeave(): boolean {
  const [question] = forms.values();
  return question === undefined || confirm(question);
}

addEventListener("beforeunload", (event) => {
  if (forms.size > 0) event.preventDefault();
});
