import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";

type PageProps = {
  readonly title: string;
  /** Buttons and links next to the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A screen. Its title gets the focus when the screen appears, so that screen readers read it. */
export function Page({ title, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${title} – ${texts.appName}`;
  }, [title]);
  return (
    <main id="main">
      <div class="bar">
        <h1 tabIndex={-1} ref={heading} dir="auto">
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      <div class="content">{children}</div>
    </main>
  );
}
