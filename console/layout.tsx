import type { CrmError } from "crm-integrations/client";
import { LogOut, Menu } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call } from "./api.ts";
import { type MenuLink, menu } from "./menu.ts";
import { href, navigate, type Route } from "./route.ts";
import type { Session } from "./session.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { texts } from "./texts.ts";
import { focusTitle } from "./ui/focus.ts";
import { Icon } from "./ui/icon.tsx";
import { LanguageSwitch } from "./ui/language-switch.tsx";
import { WordsForm } from "./ui/words-form.tsx";

const { nav } = texts;

type LayoutProps = { readonly session: Session; readonly route: Route; readonly children: ComponentChildren };

/**
 * The sidebar with the search and the menu, and a screen. On narrow screens, a button opens the menu over the screen.
 * Escape, a click outside it and a new screen close it.
 */
export function Layout({ session, route, children }: LayoutProps) {
  const menuPart = useRef<HTMLDivElement>(null);
  useEffect(() => menuPart.current?.hidePopover(), [route]);
  return (
    <div class="layout">
      <button type="button" class="skip" onClick={focusTitle}>
        {texts.skip}
      </button>
      <header class="sidebar">
        <div class="sidebar-head">
          <a class="tenant" href={href([])}>
            <span class="avatar" aria-hidden="true">
              {initialsOf(session.tenant.name)}
            </span>
            <span class="ellipsis">{session.tenant.name}</span>
          </a>
          <button type="button" class="menu-button" aria-label={texts.menu} popovertarget="menu">
            <Icon node={Menu} />
          </button>
        </div>
        <div
          id="menu"
          ref={menuPart}
          popover="auto"
          onToggle={({ currentTarget, newState }) =>
            newState === "open" && currentTarget.querySelector<HTMLElement>("nav a")?.focus()
          }
        >
          <search>
            <WordsForm
              label={nav.search}
              hint={nav.searchHint}
              words={route.path[0] === "search" ? (route.query.get("q") ?? "") : ""}
              onSearch={(q) => q !== "" && navigate(["search"], { q })}
            />
          </search>
          <nav aria-label={texts.navigation}>
            {menu.map(({ label, links }) => (
              <section key={label ?? ""}>
                {label && <h2>{label}</h2>}
                <ul>
                  {links.map((link) => (
                    <li key={link.path}>
                      <a href={href([link.path])} aria-current={isCurrent(link, route) ? "page" : undefined}>
                        <Icon node={link.icon} />
                        {link.label}
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <div class="user">
            <span class="avatar round" aria-hidden="true">
              {initialsOf(session.user.name)}
            </span>
            <span class="ellipsis">{session.user.name}</span>
            <SignOut />
          </div>
          <LanguageSwitch />
        </div>
      </header>
      {children}
      <Shortcuts />
    </div>
  );
}

function isCurrent({ path, also }: MenuLink, { path: [first] }: Route): boolean {
  return first !== undefined && [path, also].includes(first);
}

/** Returns the first letters of the first two words of a name. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => [...word][0]?.toUpperCase()).join("");
}

function SignOut() {
  return (
    <button
      type="button"
      class="ghost sign-out"
      aria-label={nav.signOut}
      title={nav.signOut}
      onClick={async () => {
        const isOther = await call("DELETE", "session").then(
          () => false,
          (error: CrmError) => error.status === 409,
        );
        if (!isOther) location.reload();
      }}
    >
      <Icon node={LogOut} />
    </button>
  );
}
