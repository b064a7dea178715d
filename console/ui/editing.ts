import { useLayoutEffect, useState } from "preact/hooks";

/** The groups of a record's fields that are open for editing. The others show their values to read. */
export type Editing = {
  readonly groups: ReadonlySet<string>;
  /** Opens groups, and moves the focus to the input of a field. */
  open(groups: readonly string[], path: string): void;
  /** Closes all groups, and returns the focus to the button that has opened the last one. */
  close(): void;
};

/** The name of the button that opens all groups. */
export const allGroups = "all";

type State = { readonly groups: ReadonlySet<string>; readonly opener: string; readonly focus?: string };

const closed: State = { groups: new Set(), opener: allGroups };

export function useEditing(): Editing {
  const [state, setState] = useState(closed);
  useLayoutEffect(() => {
    if (state.focus !== undefined) document.querySelector<HTMLElement>(state.focus)?.focus();
  }, [state]);
  return {
    groups: state.groups,
    open: (groups, path) =>
      setState((before) => ({
        groups: new Set([...before.groups, ...groups]),
        opener: groups.length === 1 ? (groups[0] ?? allGroups) : allGroups,
        focus: `[data-path="${path}"] :is(input, select, textarea)`,
      })),
    close: () => setState(({ opener }) => ({ ...closed, focus: `[data-edit="${opener}"]` })),
  };
}
