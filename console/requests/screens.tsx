import type { Screens } from "../screen.ts";
import { RequestsScreen } from "./requests-screen.tsx";

/** The screen of the request log. */
export const requestScreens = {
  requests: ({ route }) => <RequestsScreen id={route.path[1]} query={route.query} />,
} satisfies Screens;
