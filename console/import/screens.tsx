import type { Screens } from "../screen.ts";
import { ExportScreen } from "./export-screen.tsx";
import { ImportScreen } from "./import-screen.tsx";

/** The screens that read and write files. */
export const importScreens: Screens = {
  import: ({ session }) => <ImportScreen session={session} />,
  export: () => <ExportScreen />,
};
