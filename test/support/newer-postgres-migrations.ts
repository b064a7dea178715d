import { latestVersion, migrations as released } from "../../lib/storage/postgres/migrations.ts";

export { latestVersion, type Migration } from "../../lib/storage/postgres/migrations.ts";
export const migrations = [
  ...released,
  {
    version: latestVersion(released) + 1,
    statements: ["ALTER TABLE accounts ADD COLUMN rank BIGINT NOT NULL DEFAULT 7"],
  },
];
export const schemaVersion = latestVersion(migrations);
