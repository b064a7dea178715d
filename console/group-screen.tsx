import type { CrmError } from "crm-integrations/client";
import { useLayoutEffect, useState } from "preact/hooks";
import { loadPart } from "./load-part.ts";
import { passkeyLibrary } from "./passkeys.ts";
import type { ScreenProps, Screens, ScreensOf } from "./screen.ts";
import { type GroupName, groupPaths } from "./screen-groups.ts";
import { texts } from "./texts.ts";
import { ErrorNotice, Loading } from "./ui/notice.tsx";
import { Page } from "./ui/page.tsx";

type Importers = { readonly [G in GroupName]: () => Promise<{ readonly screens: ScreensOf<G> }> };

const importers: Importers = {
  records: () => import("./records/records.tsx"),
  settings: () => import("./settings.tsx"),
};

/** The groups that are loaded. */
const groups = new Map<GroupName, Screens>();

async function loadGroup(name: GroupName): Promise<Screens> {
  const { screens } = await loadPart<{ readonly screens: Screens }>(importers[name]);
  groups.set(name, screens);
  return screens;
}

/** The time in which the first screen loads its data. */
const firstScreenMs = 2_000;
let isScheduled = false;

/** Loads all groups later, so that screens open at once, also after an update of the server. */
export function loadGroups(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(async () => {
    for (const load of [...Object.keys(groupPaths).map((name) => () => loadGroup(name as GroupName)), passkeyLibrary]) {
      await idle();
      // A screen of this group tries again, and shows the error.
      await load().catch(() => {});
    }
  }, firstScreenMs);
}

/** Waits until the browser has nothing to do. Safari can't tell. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
}

type GroupScreenProps = ScreenProps & { readonly group: GroupName; readonly path: string };

/** A screen of a group that is loaded if it isn't yet. */
export function GroupScreen({ group: name, path, ...props }: GroupScreenProps) {
  const [group, setGroup] = useState(() => groups.get(name));
  const [error, setError] = useState<CrmError | undefined>();
  useLayoutEffect(() => {
    if (group === undefined) loadGroup(name).then(setGroup, setError);
  }, []);
  if (error !== undefined) return <NotLoaded error={error} />;
  const Screen = group?.[path];
  if (Screen !== undefined) return <Screen {...props} />;
  return (
    <main id="main">
      <Loading />
    </main>
  );
}

/** Explains that a group can't be loaded. A reload loads the current version of the program. */
function NotLoaded({ error }: { readonly error: CrmError }) {
  const [isOffline, setOffline] = useState(false);
  const reload = async (): Promise<void> => {
    // Without a connection, the reload would leave an empty page.
    await fetch("./", { method: "HEAD" }).then(
      () => location.reload(),
      () => setOffline(true),
    );
  };
  return (
    <Page title={texts.notLoaded.title}>
      <ErrorNotice error={error} />
      {isOffline && <p role="status">{texts.errors.network}</p>}
      <button type="button" class="primary" onClick={reload}>
        {texts.notLoaded.reload}
      </button>
    </Page>
  );
}
