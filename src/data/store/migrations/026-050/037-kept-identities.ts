// Members' last known DID documents, so that a restart while the directory is down locks no member out. A
// change to the stored form must empty this table by a migration: it refills by itself.

export const version = 37

export const sql = /* sql */ `
CREATE TABLE kept_identities (
  uid INTEGER PRIMARY KEY,            -- actors.uid; members alone
  as_of INTEGER NOT NULL,             -- when it was asked for; our clock, milliseconds
  identity TEXT                       -- JSON; NULL: nothing that was asked for before as_of counts
);
`
