import { collections, type Entity } from "../names.ts";
import type { ScreenProps, ScreensOf } from "../screen.ts";
import { Board } from "./board.tsx";
import { NewRecord } from "./new-record.tsx";
import { RecordList } from "./record-list.tsx";
import { RecordScreen } from "./record-screen.tsx";
import { SearchScreen } from "./search-screen.tsx";

/** The screens of records. */
export const screens: ScreensOf<"records"> = {
  board: ({ route }) => <Board query={route.query} />,
  search: ({ route }) => <SearchScreen words={route.query.get("q") ?? ""} />,
  [collections.account]: recordScreens("account"),
  [collections.contact]: recordScreens("contact"),
  [collections.opportunity]: recordScreens("opportunity"),
  [collections.task]: recordScreens("task"),
  [collections.note]: recordScreens("note"),
};

function recordScreens(entity: Entity) {
  return ({ route }: ScreenProps) => {
    const id = route.path[1];
    if (id === undefined) return <RecordList entity={entity} query={route.query} />;
    if (id === "new") return <NewRecord entity={entity} query={route.query} />;
    return <RecordScreen entity={entity} id={id} isNew={route.query.get("created") === "true"} />;
  };
}
