// How much was fetched of each author's records in an hour, and for which member, so that a byte budget
// outlives the process.

export const version = 24

export const sql = /* sql */ `
CREATE TABLE brought (
  uid INTEGER PRIMARY KEY,            -- actors.uid of the author
  member INTEGER NOT NULL,            -- actors.uid of whom it was fetched for; 0: nobody in particular
  kb INTEGER NOT NULL,                -- of records, in kilobytes of 1,000
  ends_at INTEGER NOT NULL            -- milliseconds: then the author's hour is over
);
`
