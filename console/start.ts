import { code } from "./language.ts";
import { type GroupName, groupOf } from "./screen-groups.ts";

/** The names of files from the build. */
declare const files: {
  readonly texts: Readonly<Record<typeof code, string>>;
  readonly groups: Readonly<Record<GroupName, readonly string[]>>;
};

/** Starts to load what the first screen needs, while the program itself is still being loaded. */

const { hash } = location;
// A sign-in link opens a new session.
if (!hash.startsWith("#token=")) preload({ rel: "preload", as: "fetch", crossOrigin: "anonymous", href: "session" });
const group = groupOf(/^#\/?([^/?]*)/.exec(hash)?.[1] ?? "");
for (const href of [files.texts[code], ...(group === undefined ? [] : files.groups[group])])
  preload({ rel: "modulepreload", href });

function preload(attributes: Partial<HTMLLinkElement>): void {
  document.head.append(Object.assign(document.createElement("link"), attributes));
}
