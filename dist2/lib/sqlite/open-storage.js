import { pathOf } from "./disk.js";
import { openWriter } from "./file.js";
import { migrations } from "./migrations.js";
import { Place } from "./place.js";
import { SqliteStorage } from "./storage.js";
/**
 * SQLite in a file, or in memory under ":memory:". Several processes may share a file. An older file is copied beside
 * itself before it is brought up to date.
 * @throws DatabaseRefused where the file is empty, foreign, newer or corrupt.
 */
export function sqliteStorage({ file, onCommit, onMigrated, ...apart }) {
    const open = (path) => openWriter(path, migrations, onMigrated);
    const place = file === ":memory:" ? file : pathOf(file);
    return new SqliteStorage(new Place(place, open, apart), onCommit);
}
