import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export type Tab = { readonly id: string; readonly label: string; readonly content: ComponentChildren };

type TabsProps = {
  /** Names the list of tabs for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The ID of the tab that is shown. An unknown one shows the first tab. */
  readonly current: string | null;
  /** Returns the link to a tab. */
  hrefOf(id: string): string;
};

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs with their panels, after the pattern of ARIA. A panel is loaded when it is first shown, and keeps what the user has entered. */
export function Tabs({ label, tabs, current, hrefOf }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs.find(({ id }) => id === current) ?? tabs[0];
  const visited = useRef(new Set<string>()).current;
  if (shown !== undefined) visited.add(shown.id);

  // In a layout effect, so that it comes before the page returns to its former scroll position.
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const index = links.indexOf(document.activeElement as HTMLElement);
    const next = steps[event.key]?.(index, links.length);
    if (event.key === " ") links[index]?.click();
    else if (next !== undefined) links[next]?.focus();
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, label: name }) => (
          <a
            key={id}
            id={`tab-${id}`}
            role="tab"
            href={hrefOf(id)}
            aria-selected={id === shown?.id}
            aria-controls={`panel-${id}`}
            tabIndex={id === shown?.id ? 0 : -1}
          >
            {name}
          </a>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div key={id} id={`panel-${id}`} role="tabpanel" aria-labelledby={`tab-${id}`} hidden={id !== shown?.id}>
          {visited.has(id) && content}
        </div>
      ))}
    </>
  );
}
