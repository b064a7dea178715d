import type { ComponentChildren } from "preact";
import type { Route } from "./route.ts";
import type { Session } from "./session.tsx";

export type ScreenProps = { readonly route: Route; readonly session: Session };

/** Screens by the first part of the path. */
export type Screens = Readonly<Record<string, (props: ScreenProps) => ComponentChildren>>;
