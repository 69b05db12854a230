// Snapshots of memory are files beside the database (data/store/files/snapshots.ts); only their headers are rows.
// The first start after this rebuilds memory from rows, and writes new ones.

export const version = 39

export const sql = /* sql */ `
DROP TABLE snapshots;
CREATE TABLE snapshots (
  name TEXT PRIMARY KEY,
  header TEXT NOT NULL                -- JSON
) WITHOUT ROWID;
`
