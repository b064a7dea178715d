import { requestEarly } from "./early-requests.ts";
import { code } from "./language.ts";
import { type GroupName, groupOf, isOverview } from "./screen-groups.ts";

/** The names of files from the build. */
declare const files: {
  readonly texts: Readonly<Record<typeof code, string>>;
  readonly groups: Readonly<Record<GroupName, readonly string[]>>;
};

/** The inline script of the page. Requests what the first screen needs while the program is being loaded. */

const { hash } = location;
const path = /^#\/?([^/?]*)/.exec(hash)?.[1] ?? "";
// A sign-in link opens a new session.
if (!hash.startsWith("#token=")) requestEarly(isOverview(path));
const group = groupOf(path);
for (const href of [files.texts[code], ...(group === undefined ? [] : files.groups[group])])
  document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
