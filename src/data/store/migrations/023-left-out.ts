// How many records of a listing a cold start's budget did not allow. They are fetched later, so it must be known
// whose they are, and it is told on the member's row.

export const version = 23

export const sql = /* sql */ `
ALTER TABLE backfills ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
CREATE INDEX backfills_left_out ON backfills (uid, left_out) WHERE left_out > 0;
`
