// Hosts see these types: they stand where none of better-sqlite3 is named, which who installs this package does not have.
export {};
