import type { Screens } from "../screen.ts";
import { SystemScreen } from "./system-screen.tsx";
import { WelcomeScreen } from "./welcome-screen.tsx";

/** The screens of the server, and the first steps. */
export const systemScreens = {
  system: () => <SystemScreen />,
  welcome: ({ route }) => <WelcomeScreen step={route.path[1]} />,
} satisfies Screens;
