import { Languages } from "lucide";
import { code, languages, storeLanguage } from "../language.ts";
import { Icon } from "./icon.tsx";
import { forgetChanges, mayLeave } from "./unsaved.ts";

/**
 * Chooses the language of the console. Users who can't read the current language understand the label too. The token of
 * a sign-in link survives the reload.
 */
export function LanguageSwitch({ token }: { readonly token?: string | undefined }) {
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
          if (token !== undefined) history.replaceState(history.state, "", `#token=${token}`);
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
