import type { Screens } from "../screen.ts";
import { ExportScreen } from "./export-screen.tsx";
import { ImportScreen } from "./import-screen.tsx";

/** The screens that read and write files. */
export const fileScreens = {
  import: () => <ImportScreen />,
  export: () => <ExportScreen />,
} satisfies Screens;
