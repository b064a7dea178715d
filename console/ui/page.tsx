import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentEntry } from "../route.ts";
import { texts } from "../texts.ts";

type PageProps = {
  readonly title: string;
  /** Buttons and links next to the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/**
 * A screen. Its title gets the focus when the screen appears, so that screen readers read it. After Back, the link that
 * the user had followed gets the focus, at its former scroll position.
 */
export function Page({ title, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => scrollTo(0, currentEntry().scrollY), []);
  useEffect(() => {
    const { focusedHref } = currentEntry();
    const links = [...(heading.current?.closest("main")?.querySelectorAll<HTMLElement>("a[href]") ?? [])];
    const link = links.find((each) => each.getAttribute("href") === focusedHref);
    (link ?? heading.current)?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} – ${texts.appName}`;
  }, [title]);
  return (
    <main id="main">
      <div class="bar">
        <h1 tabIndex={-1} ref={heading} dir="auto">
          {title.split(/(?<=\/)/).map((part) => (
            // Addresses break after a slash.
            <>
              {part}
              <wbr />
            </>
          ))}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      <div class="content">{children}</div>
    </main>
  );
}
