import { fileScreens } from "./import/files.tsx";
import { integrationScreens } from "./integrations/screens.tsx";
import { requestScreens } from "./requests/screens.tsx";
import type { ScreensOf } from "./screen.ts";
import { setUpScreens } from "./set-up/screens.tsx";
import { systemScreens } from "./system/screens.tsx";
import { webhookScreens } from "./webhooks/screens.tsx";

/** The screens of the set-up, of integrations, and of files. */
export const screens: ScreensOf<"settings"> = {
  ...setUpScreens,
  ...webhookScreens,
  ...integrationScreens,
  ...requestScreens,
  ...systemScreens,
  ...fileScreens,
};
