import { useEffect, useState } from "preact/hooks";
import { readAll } from "./api.ts";
import { menu } from "./menu.ts";
import { collections, entities, nameOf } from "./names.ts";
import { href } from "./route.ts";
import { texts } from "./texts.ts";
import { Dialog } from "./ui/dialog.tsx";
import { useLoad } from "./ui/load.ts";
import { type SearchHit, useSearch } from "./ui/search.ts";

const text = texts.palette;
const { kinds } = texts.setUp;
/** Enough for all screens, and for all actions that begin with the same word. */
const maxScreens = 18;

type Entry = { readonly label: string; readonly kind: string; readonly href: string };

function toAction(label: string, screen: string): Entry {
  return { label, kind: text.action, href: href([screen, "new"]) };
}

const screens: readonly Entry[] = [
  ...menu.flatMap(({ links }) => links.map(({ path, label }) => ({ label, kind: text.screen, href: href([path]) }))),
  { label: texts.board.title, kind: text.screen, href: href(["board"]) },
  ...entities.map((entity) => toAction(texts.records.create(texts.kinds[entity]), collections[entity])),
  ...(["integrations", "webhooks", "custom-fields", "rules", "pipelines", "users"] as const).map((list) =>
    toAction(kinds[list].create, list === "custom-fields" ? "fields" : list),
  ),
];

type Integration = { readonly id: string; readonly name: string };

/** Returns the screen of an integration, and that of its API keys. */
function toEntries({ id, name }: Integration): readonly Entry[] {
  const path = ["integrations", id];
  return [
    { label: name, kind: kinds.integrations.one, href: href(path) },
    { label: text.newKey(name), kind: text.action, href: href(path, { tab: "keys" }) },
  ];
}

/** Returns the entries that have all words at the start of a word. */
function find(words: string, entries: readonly Entry[]): readonly Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = (label: string): boolean => {
    const own = label.toLowerCase().split(/\s+/);
    return wanted.every((word) => own.some((each) => each.startsWith(word)));
  };
  return entries.filter(({ label }) => hasAll(label)).slice(0, maxScreens);
}

function toEntry({ entity, record }: SearchHit): Entry {
  return { label: nameOf(record), kind: texts.kinds[entity], href: href([collections[entity], record.id]) };
}

/** A dialog that opens records and screens, and starts actions, by a few letters of their names. */
export function Palette({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState("");
  const [active, setActive] = useState(0);
  const integrations = useLoad((signal) => readAll<Integration>("api/admin/integrations", {}, signal), "");
  const known = [...screens, ...(integrations.value ?? []).flatMap(toEntries)];
  const entries = [...find(words, known), ...(useSearch(words) ?? []).map(toEntry)];
  const current = Math.min(active, entries.length - 1);
  useEffect(() => document.getElementById(`palette-${current}`)?.scrollIntoView({ block: "nearest" }), [current]);

  function open(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onClose();
    location.hash = entry.href;
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") setActive(Math.min(current + 1, entries.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(current - 1, 0));
    else if (event.key === "Enter") open(entries[current]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={text.title} onClose={onClose}>
      <div class="palette">
        <input
          role="combobox"
          aria-label={text.title}
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls="palette-list"
          aria-activedescendant={entries.length > 0 ? `palette-${current}` : undefined}
          autoComplete="off"
          placeholder={text.hint}
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div id="palette-list" role="listbox" aria-label={text.title} hidden={entries.length === 0}>
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard.
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
            <div
              key={entry.href}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === current}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(entry)}
            >
              <bdi>{entry.label}</bdi> <span class="kind">{entry.kind}</span>
            </div>
          ))}
        </div>
        <p class="help" role="status">
          {words && texts.form.matches(entries.length)}
        </p>
      </div>
    </Dialog>
  );
}
