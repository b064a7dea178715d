import type { Screens } from "../screen.ts";
import { OverviewScreen } from "./overview-screen.tsx";
import { SystemScreen } from "./system-screen.tsx";
import { HomeScreen, WelcomeScreen } from "./welcome-screen.tsx";

/** The screens of the server, and the first steps. */
export const systemScreens: Screens = {
  home: ({ session }) => <HomeScreen session={session} />,
  overview: () => <OverviewScreen />,
  system: () => <SystemScreen />,
  welcome: ({ session, route }) => <WelcomeScreen session={session} step={route.path[1]} />,
};
