import { render } from "preact";
import { useEffect } from "preact/hooks";
import { GroupScreen, loadGroups } from "./group-screen.tsx";
import { code } from "./language.ts";
import { Layout } from "./layout.tsx";
import { useRoute } from "./route.ts";
import type { ScreenProps } from "./screen.ts";
import { groupOf, isOverview } from "./screen-groups.ts";
import { SessionGate } from "./session.tsx";
import { OverviewScreen } from "./system/overview-screen.tsx";
import { texts } from "./texts.ts";
import { Page } from "./ui/page.tsx";

function App() {
  const route = useRoute();
  return (
    <SessionGate>
      {(session) => (
        <Layout session={session} route={route}>
          <Screen key={route.path.join("/") || "overview"} route={route} session={session} />
        </Layout>
      )}
    </SessionGate>
  );
}

function Screen(props: ScreenProps) {
  useEffect(loadGroups, []);
  const [path = ""] = props.route.path;
  if (isOverview(path)) return <OverviewScreen session={props.session} isHome={path === ""} />;
  const group = groupOf(path);
  return group === undefined ? <NotFound /> : <GroupScreen {...props} group={group} path={path} />;
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
