import type { IconNode } from "lucide";
import {
  Download,
  House,
  KeyRound,
  Plug,
  ScrollText,
  Server,
  SlidersHorizontal,
  SquareKanban,
  TextCursorInput,
  Upload,
  Users,
  Webhook,
} from "lucide";
import { entityLists } from "./entities.ts";
import { collections, entities } from "./names.ts";
import { texts } from "./texts.ts";

const { nav } = texts;

export type MenuLink = {
  readonly path: string;
  /** The path of other screens that belong to it. */
  readonly also?: string;
  readonly label: string;
  readonly icon: IconNode;
};

/** The menu: groups of links. */
export const menu: readonly { readonly label: string | undefined; readonly links: readonly MenuLink[] }[] = [
  { label: undefined, links: [{ path: "overview", label: nav.overview, icon: House }] },
  {
    label: nav.records,
    links: [
      ...entities.map((entity) => ({
        path: collections[entity],
        label: texts.collections[collections[entity]],
        icon: entityLists[entity].icon,
      })),
      { path: "import", label: nav.import, icon: Upload },
      { path: "export", label: nav.export, icon: Download },
    ],
  },
  {
    label: nav.developers,
    links: [
      { path: "integrations", label: nav.integrations, icon: Plug },
      { path: "webhooks", label: nav.webhooks, icon: Webhook },
      { path: "requests", label: nav.requests, icon: ScrollText },
      { path: "grants", label: nav.grants, icon: KeyRound },
    ],
  },
  {
    label: nav.settings,
    links: [
      { path: "company", label: nav.company, icon: SlidersHorizontal },
      { path: "fields", also: "rules", label: nav.fields, icon: TextCursorInput },
      { path: "pipelines", label: nav.pipelines, icon: SquareKanban },
      { path: "users", label: nav.users, icon: Users },
      { path: "system", label: nav.system, icon: Server },
    ],
  },
];
