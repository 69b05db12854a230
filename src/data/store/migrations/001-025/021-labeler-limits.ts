// State that keeps labelers from doing harm: the member who named one, how many of its labels are kept,
// whether its stream was open when the process ended, and until when it is quarantined because of that or a
// broken limit.

export const version = 21

export const sql = /* sql */ `
ALTER TABLE labelers ADD COLUMN named_by INTEGER;           -- actors.uid of the member who named it first
ALTER TABLE labelers ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;     -- labels of it that are kept, counted now and then
ALTER TABLE labelers ADD COLUMN open_since INTEGER;         -- milliseconds; NULL: its stream is not open
ALTER TABLE labelers ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;  -- in a row; each makes the next wait longer
ALTER TABLE labelers ADD COLUMN quarantined_until INTEGER;  -- milliseconds
ALTER TABLE labelers ADD COLUMN quarantine_reason TEXT;
`
