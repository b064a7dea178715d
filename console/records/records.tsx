import { collections, type Entity, entities } from "../names.ts";
import type { ScreenProps, ScreensOf } from "../screen.ts";
import { Board } from "./board.tsx";
import { NewRecord } from "./new-record.tsx";
import { RecordList } from "./record-list.tsx";
import { RecordScreen } from "./record-screen.tsx";
import { SearchScreen } from "./search-screen.tsx";

/** The screens of records. */
export const screens = {
  board: ({ route }) => <Board query={route.query} />,
  search: ({ route }) => <SearchScreen words={route.query.get("q") ?? ""} />,
  ...Object.fromEntries(entities.map((entity) => [collections[entity], recordScreens(entity)])),
} as ScreensOf<"records">;

function recordScreens(entity: Entity) {
  return ({ route }: ScreenProps) => {
    const id = route.path[1];
    if (id === undefined) return <RecordList entity={entity} query={route.query} />;
    if (id === "new") return <NewRecord entity={entity} query={route.query} />;
    return <RecordScreen entity={entity} id={id} />;
  };
}
