import { language } from "../language.ts";
import { DateInput } from "./date-input.tsx";
import { parseDate, toDateText } from "./date-text.ts";

type TimeFieldProps = {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  onChange(text: string): void;
};

/** A date and a time with its label, in a form that the browser checks. */
export function TimeField(props: TimeFieldProps) {
  return (
    <div>
      <label for={props.id}>{props.label}</label>
      <DateInput {...props} type="date-time" />
    </div>
  );
}

/** Returns the time of a text for the API. Undefined if the text is empty or isn't a time. */
export function readTime(text: string): string | undefined {
  return parseDate(text, language, "date-time");
}

/** Returns the text of a time in an address. A time that can't be read is empty. */
export function timeText(iso = ""): string {
  return Number.isNaN(Date.parse(iso)) ? "" : toDateText(iso, language, "date-time");
}
