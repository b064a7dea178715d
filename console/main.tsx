import { render } from "preact";
import { useEffect } from "preact/hooks";
import { GroupScreen, loadGroups } from "./group-screen.tsx";
import { code } from "./language.ts";
import { Layout } from "./layout.tsx";
import { useRoute } from "./route.ts";
import type { ScreenProps, Screens } from "./screen.ts";
import { groupOf } from "./screen-groups.ts";
import { SessionGate } from "./session.tsx";
import { HomeScreen } from "./system/home-screen.tsx";
import { OverviewScreen } from "./system/overview-screen.tsx";
import { texts } from "./texts.ts";
import { Page } from "./ui/page.tsx";

/** The screens that are always loaded. */
const firstScreens: Screens = {
  home: ({ session }) => <HomeScreen session={session} />,
  overview: () => <OverviewScreen />,
};

function App() {
  const route = useRoute();
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

function Screen(props: ScreenProps) {
  useEffect(loadGroups, []);
  const path = props.route.path[0] ?? "home";
  const group = groupOf(path);
  if (group !== undefined) return <GroupScreen {...props} group={group} path={path} />;
  const First = Object.hasOwn(firstScreens, path) ? firstScreens[path] : undefined;
  return First === undefined ? <NotFound /> : <First {...props} />;
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
