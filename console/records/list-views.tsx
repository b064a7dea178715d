import { Bookmark, X } from "lucide";
import { useState } from "preact/hooks";
import { type Query, toQueryString } from "../api.ts";
import { readStoredList, store, userStorageName } from "../browser-storage.ts";
import { collections, type Entity } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { DropDown } from "../ui/drop-down.tsx";
import { Icon } from "../ui/icon.tsx";

const text = texts.views;
const maxNameLength = 60;

/** Filters and an order of a list that the user has named. `query` begins with `?`, or is empty. */
type View = { readonly name: string; readonly query: string };

/** A menu with the saved views of a list. The browser keeps them, and each is a link. */
export function ListViews({ entity, query }: { readonly entity: Entity; readonly query: Query }) {
  const storageName = userStorageName(`views-${entity}`);
  const [views, setViews] = useState<readonly View[]>(() => readStoredList(storageName)?.filter(isView) ?? []);
  const [name, setName] = useState("");
  const keep = (next: readonly View[]): void => {
    store(storageName, next.length === 0 ? null : JSON.stringify(next));
    setViews(next);
  };
  const shown = toQueryString(query);
  return (
    <DropDown icon={Bookmark} title={text.title}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const view = { name: name.trim(), query: shown };
          if (view.name === "") return;
          keep([...views.filter((each) => each.name !== view.name), view]);
          setName("");
        }}
      >
        {views.length > 0 && (
          <ul class="views">
            {views.map((view) => (
              <li key={view.name} class="chip">
                <a href={href([collections[entity]]) + view.query} aria-current={view.query === shown || undefined}>
                  <bdi>{view.name}</bdi>
                </a>
                <button
                  type="button"
                  class="ghost"
                  aria-label={text.remove(view.name)}
                  onClick={({ currentTarget }) => {
                    currentTarget.form?.querySelector("input")?.focus();
                    keep(views.filter((each) => each !== view));
                  }}
                >
                  <Icon node={X} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <label>
          {text.name}
          <input
            value={name}
            maxLength={maxNameLength}
            required
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit">{text.save}</button>
        <p class="help">{text.help}</p>
      </form>
    </DropDown>
  );
}

function isView(value: unknown): value is View {
  const { name, query } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof query === "string" && /^(\?|$)/.test(query);
}
