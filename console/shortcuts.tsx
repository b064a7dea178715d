import { useEffect, useState } from "preact/hooks";
import { readStored, store } from "./browser-storage.ts";
import { Palette } from "./palette.tsx";
import { texts } from "./texts.ts";
import { Checkbox } from "./ui/choices.tsx";
import { Dialog } from "./ui/dialog.tsx";

const text = texts.shortcuts;
const offKey = "crm-console-shortcuts-off";

/** The keys that work outside of inputs, with the elements that they use: the first one that the screen has. */
const targets: Readonly<Record<string, readonly string[]>> = {
  n: ["main .bar a.primary"],
  e: ["main .bar [data-edit]"],
  "/": ["main .toolbar input", ".sidebar input"],
};

function areOff(): boolean {
  return readStored(offKey) !== null;
}

/** Listens for the shortcuts, and shows the palette or the list of shortcuts. */
export function Shortcuts() {
  const [shown, setShown] = useState<"palette" | "help">();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isCommand = event.ctrlKey || event.metaKey;
      const hasDialog = document.querySelector("dialog[open]") !== null;
      if (event.defaultPrevented || hasDialog || event.altKey) return;
      if (isCommand && event.key.toLowerCase() === "k") setShown("palette");
      else if (isCommand || areOff() || isTyping(event.target)) return;
      else if (event.key === "?") setShown("help");
      else if (!press(targets[event.key.toLowerCase()] ?? [])) return;
      event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const close = (): void => setShown(undefined);
  if (shown === "palette") return <Palette onClose={close} />;
  return shown === "help" ? <Help onClose={close} /> : null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
}

/** Presses the link or the button, or focuses the input that one of the selectors finds. Returns whether there is one. */
function press(selectors: readonly string[]): boolean {
  const [element] = selectors.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? []);
  if (element instanceof HTMLInputElement) element.focus();
  else element?.click();
  return element !== undefined;
}

function Help({ onClose }: { onClose(): void }) {
  const [isOff, setIsOff] = useState(areOff);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <dl class="details">
        {Object.entries(text.keys).map(([key, meaning]) => (
          <>
            <dt>
              <kbd>{key.replace("Ctrl", text.ctrl)}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <p>
        <Checkbox
          label={text.off}
          checked={isOff}
          onChange={(checked) => {
            store(offKey, checked ? "1" : null);
            setIsOff(checked);
          }}
        />
      </p>
      <button type="button" onClick={onClose}>
        {text.close}
      </button>
    </Dialog>
  );
}
