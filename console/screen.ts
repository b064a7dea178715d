import type { ComponentChildren } from "preact";
import type { Route } from "./route.ts";
import type { GroupName, groupPaths } from "./screen-groups.ts";
import type { Session } from "./session.tsx";

export type ScreenProps = { readonly route: Route; readonly session: Session };

/** Screens by the first part of the path. */
export type Screens = Readonly<Record<string, (props: ScreenProps) => ComponentChildren>>;

/** The screens of a group. */
export type ScreensOf<G extends GroupName> = Readonly<Record<(typeof groupPaths)[G][number], Screens[string]>>;
