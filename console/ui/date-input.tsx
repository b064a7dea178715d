import { Calendar } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { language } from "../language.ts";
import { texts } from "../texts.ts";
import { type DateInputType, exampleDate, parseDate, toDateText, toNativeDate } from "./date-text.ts";
import { dateError } from "./field-spec.ts";
import { Icon } from "./icon.tsx";

type DateInputProps = {
  readonly id: string;
  /** The label of the input, for the name of its button. */
  readonly label: string;
  readonly type: DateInputType;
  /** The text that the user types. */
  readonly value: string;
  onChange(text: string): void;
};

/**
 * A date as text, because `type="date"` has the language of the browser, and a button that opens the calendar of the
 * browser. A form that the browser checks isn't sent while the text isn't a date.
 */
export function DateInput({ label, type, value, onChange, ...rest }: DateInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const native = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setCustomValidity(dateError(value, type)));

  function open(): void {
    const parsed = parseDate(value, language, type);
    if (native.current === null) return;
    native.current.value = parsed === undefined ? "" : toNativeDate(parsed, type);
    native.current.showPicker();
  }

  return (
    <span class="date">
      <input
        {...rest}
        ref={input}
        autoComplete="off"
        placeholder={exampleDate(language, type)}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <button type="button" class="ghost" aria-label={texts.form.chooseDate(label)} onClick={open}>
        <Icon node={Calendar} />
      </button>
      <input
        ref={native}
        class="visually-hidden"
        type={type === "date" ? "date" : "datetime-local"}
        tabIndex={-1}
        aria-hidden="true"
        onChange={({ currentTarget: { value: chosen } }) => {
          onChange(chosen && toDateText(chosen, language, type));
          input.current?.focus();
        }}
      />
    </span>
  );
}
