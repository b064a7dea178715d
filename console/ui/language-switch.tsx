import { Languages } from "lucide";
import { code, languages, storeLanguage } from "../language.ts";
import { Icon } from "./icon.tsx";
import { forgetChanges, mayLeave } from "./unsaved.ts";

/** Chooses the language of the console. Users who can't read the current language understand the label too. */
export function LanguageSwitch() {
  return (
    <label class="language">
      <Icon node={Languages} />
      <span class="visually-hidden">Language / Sprache</span>
      <select
        value={code}
        onChange={({ currentTarget }) => {
          if (!mayLeave()) {
            currentTarget.value = code;
            return;
          }
          storeLanguage(currentTarget.value);
          forgetChanges();
          location.reload();
        }}
      >
        {Object.entries(languages).map(([value, name]) => (
          <option key={value} value={value} lang={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
