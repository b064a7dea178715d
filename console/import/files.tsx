import type { ScreensOf } from "../screen.ts";
import { ExportScreen } from "./export-screen.tsx";
import { ImportScreen } from "./import-screen.tsx";

/** The screens that read and write files. */
export const screens: ScreensOf<"files"> = {
  import: () => <ImportScreen />,
  export: () => <ExportScreen />,
};
