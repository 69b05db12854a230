// What members' DID documents said last, so that a restart while the directory is away shuts nobody out. Whoever changes
// what is kept of a document empties this table by a migration: it fills again by itself.

export const version = 37

export const sql = /* sql */ `
CREATE TABLE kept_identities (
  uid INTEGER PRIMARY KEY,            -- actors.uid; members alone
  as_of INTEGER NOT NULL,             -- when it was asked for; our clock, milliseconds
  identity TEXT                       -- JSON; NULL: nothing that was asked for before as_of counts
);
`
