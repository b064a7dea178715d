import { useLayoutEffect, useState } from "preact/hooks";

type WordsFormProps = {
  readonly label: string;
  readonly hint?: string;
  /** The words of the current search. */
  readonly words: string;
  onSearch(words: string): void;
};

/** An input for words that Enter searches. */
export function WordsForm({ label, hint = label, words, onSearch }: WordsFormProps) {
  const [typed, setTyped] = useState(words);
  useLayoutEffect(() => setTyped(words), [words]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(typed.trim());
      }}
    >
      <input
        type="search"
        aria-label={label}
        placeholder={hint}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  );
}
