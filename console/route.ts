import { useEffect, useState } from "preact/hooks";
import { type Query, toQueryString } from "./api.ts";
import { forgetChanges, mayLeave } from "./ui/unsaved.ts";

/** The part of the URL after `#`: `#/accounts/ID?tab=tasks` has the path `["accounts", "ID"]`. */
export type Route = { readonly path: readonly string[]; readonly query: URLSearchParams };

type HistoryState = { readonly position: number } | null;

/** The entry of the history that is shown. Each entry stores its position, so that a rejected step can be undone. */
let shown = { hash: location.hash, position: (history.state as HistoryState)?.position ?? 0 };

/** The state of an entry of the history. With it, Back shows a screen as the user left it. */
type Entry = {
  readonly hash: string;
  /** The data of its lists. */
  readonly values: Map<string, unknown>;
  scrollY: number;
  /** The link that had the focus. */
  focusedHref: string | null;
};

/** The entries by position. */
const entries = new Map<number, Entry>();
const maxEntries = 20;

const listeners = new Set<() => void>();
let onToken = (): void => {};
let token = takeToken();
history.replaceState({ position: shown.position }, "");
history.scrollRestoration = "manual";
addEventListener("hashchange", openEntry);

/** Returns the entry of the history that is shown. */
export function currentEntry(): Entry {
  const { hash, position } = shown;
  const known = entries.get(position);
  if (known?.hash === hash) return known;
  const entry = { hash, values: new Map(), scrollY: 0, focusedHref: null };
  entries.set(position, entry);
  const [oldest = position] = entries.keys();
  if (entries.size > maxEntries) entries.delete(oldest);
  return entry;
}

/** Returns the token of the sign-in link that was opened last, once. */
export function takeSignInToken(): string | undefined {
  const taken = token;
  token = undefined;
  return taken;
}

/** Sets the function that is called when the user opens a sign-in link in this tab. */
export function handleSignInToken(handler: () => void): void {
  onToken = handler;
}

/** Takes the token of a sign-in link out of the URL, so that it doesn't stay in the history. The address before it returns. */
function takeToken(): string | undefined {
  const found = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (found === undefined) return undefined;
  if (shown.hash === location.hash) shown = { ...shown, hash: "#/" };
  history.replaceState(history.state, "", shown.hash || "#/");
  return found;
}

/** Shows the entry of the history that the browser has opened, unless the user wants to stay. */
function openEntry(): void {
  const position = (history.state as HistoryState)?.position ?? shown.position + 1;
  history.replaceState({ position }, "");
  const found = takeToken();
  if (found !== undefined) {
    token = found;
    shown = { ...shown, position };
    onToken();
  } else if (pathOf(location.hash) !== pathOf(shown.hash) && !mayLeave()) {
    history.go(shown.position - position);
  } else {
    const focusedHref = document.activeElement?.getAttribute("href") ?? null;
    Object.assign(currentEntry(), { scrollY, focusedHref });
    shown = { hash: location.hash, position };
    for (const listener of listeners) listener();
  }
}

function pathOf(hash: string): string {
  return hash.replace(/\?.*/, "");
}

function currentRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the link to a path of the console. */
export function href(path: readonly string[], query: Query = {}): string {
  return `#/${path.map(encodeURIComponent).join("/")}${toQueryString(query)}`;
}

/** Opens a path. Asks first if the screen has changes that aren't saved. */
export function navigate(path: readonly string[], query: Query = {}): void {
  location.hash = href(path, query);
}

/** Opens a path after the changes of the screen were saved. */
export function navigateSaved(path: readonly string[]): void {
  forgetChanges();
  navigate(path);
}

let hasCreated = false;

/** Opens the record that the user has just created. Back doesn't return to its empty form. */
export function openCreated(path: readonly string[]): void {
  hasCreated = true;
  forgetChanges();
  redirect(path);
}

/** Returns whether the screen shows a record that the user has just created, once. */
export function takeCreated(): boolean {
  const taken = hasCreated;
  hasCreated = false;
  return taken;
}

/** Opens a path in place of the current one, so that the button Back skips the current one. */
export function redirect(path: readonly string[]): void {
  history.replaceState({ position: shown.position }, "", href(path));
  openEntry();
}

/** Returns the current route, and renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = (): void => setRoute(currentRoute());
    listeners.add(update);
    // It can have changed since the first rendering.
    update();
    return () => void listeners.delete(update);
  }, []);
  return route;
}
