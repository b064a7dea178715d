import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type CallError, call } from "./api.ts";
import { href, navigate, type Route } from "./route.ts";
import type { Session } from "./session.tsx";
import { texts } from "./texts.ts";

const { nav, collections } = texts;

/** The menu: groups of links. */
const menu: readonly (readonly [label: string, links: readonly (readonly [path: string, label: string])[]])[] = [
  [nav.records, Object.entries(collections)],
  [
    nav.data,
    [
      ["import", nav.import],
      ["export", nav.export],
    ],
  ],
  [
    nav.setUp,
    [
      ["company", nav.company],
      ["integrations", nav.integrations],
      ["webhooks", nav.webhooks],
      ["fields", nav.fields],
      ["rules", nav.rules],
      ["pipelines", nav.pipelines],
      ["users", nav.users],
      ["grants", nav.grants],
    ],
  ],
  [
    nav.operation,
    [
      ["requests", nav.requests],
      ["system", nav.system],
    ],
  ],
];

type LayoutProps = { readonly session: Session; readonly route: Route; readonly children: ComponentChildren };

/** The header with the search, the menu, and a screen. */
export function Layout({ session, route, children }: LayoutProps) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [route]);
  return (
    <div class="layout">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main h1")?.focus()}>
        {texts.skip}
      </button>
      <header>
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          {texts.menu}
        </button>
        <a class="tenant" href={href([])}>
          {session.tenant.name}
        </a>
        <Search text={route.path[0] === "search" ? (route.query.get("q") ?? "") : ""} />
        <span class="user">{session.user.name}</span>
        <button
          type="button"
          onClick={async () => {
            const isOther = await call("DELETE", "session").then(
              () => false,
              (error: CallError) => error.status === 409,
            );
            if (!isOther) location.reload();
          }}
        >
          {nav.signOut}
        </button>
      </header>
      <nav id="menu" aria-label={texts.navigation} class={isMenuOpen ? "open" : undefined}>
        {menu.map(([label, links]) => (
          <section key={label}>
            <h2>{label}</h2>
            <ul>
              {links.map(([path, linkLabel]) => (
                <li key={path}>
                  <a href={href([path])} aria-current={route.path[0] === path ? "page" : undefined}>
                    {linkLabel}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      {children}
    </div>
  );
}

function Search({ text }: { readonly text: string }) {
  const [words, setWords] = useState(text);
  useEffect(() => setWords(text), [text]);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim() !== "") navigate(["search"], { q: words.trim() });
        }}
      >
        <input
          type="search"
          aria-label={nav.search}
          placeholder={nav.search}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
