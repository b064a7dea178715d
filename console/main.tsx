import { render } from "preact";
import { importScreens } from "./import/screens.tsx";
import { integrationScreens } from "./integrations/screens.tsx";
import { code } from "./language.ts";
import { Layout } from "./layout.tsx";
import { collections, type Entity, entities } from "./names.ts";
import { Board } from "./records/board.tsx";
import { NewRecord } from "./records/new-record.tsx";
import { RecordList } from "./records/record-list.tsx";
import { RecordScreen } from "./records/record-screen.tsx";
import { SearchScreen } from "./records/search-screen.tsx";
import { requestScreens } from "./requests/screens.tsx";
import { useRoute } from "./route.ts";
import type { ScreenProps, Screens } from "./screen.ts";
import { SessionGate } from "./session.tsx";
import { setUpScreens } from "./set-up/screens.tsx";
import { systemScreens } from "./system/screens.tsx";
import { texts } from "./texts.ts";
import { Page } from "./ui/page.tsx";
import { webhookScreens } from "./webhooks/screens.tsx";

/** Screens by the first part of the path. Each gets the rest of it. */
const screens: Screens = {
  board: ({ route }) => <Board query={route.query} />,
  search: ({ route }) => <SearchScreen words={route.query.get("q") ?? ""} />,
  ...Object.fromEntries(entities.map((entity) => [collections[entity], recordScreens(entity)])),
  ...importScreens,
  ...setUpScreens,
  ...webhookScreens,
  ...integrationScreens,
  ...requestScreens,
  ...systemScreens,
};

function recordScreens(entity: Entity) {
  return ({ route }: ScreenProps) => {
    const id = route.path[1];
    if (id === undefined) return <RecordList entity={entity} query={route.query} />;
    if (id === "new") return <NewRecord entity={entity} query={route.query} />;
    return <RecordScreen entity={entity} id={id} isNew={route.query.get("created") === "true"} />;
  };
}

function App() {
  const route = useRoute();
  const path = route.path[0] ?? "home";
  const Screen = screens[path] ?? NotFound;
  return (
    <SessionGate>
      {(session) => (
        <Layout session={session} route={route}>
          <Screen key={route.path.join("/")} route={route} session={session} />
        </Layout>
      )}
    </SessionGate>
  );
}

function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <p>{texts.notFound.text}</p>
    </Page>
  );
}

document.documentElement.lang = code;
const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
