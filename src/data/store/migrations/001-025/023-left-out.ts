// How many records of a listing exceeded a cold start's budget. They are fetched later, so their accounts
// must be known, and the member's row reports them.

export const version = 23

export const sql = /* sql */ `
ALTER TABLE backfills ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
CREATE INDEX backfills_left_out ON backfills (uid, left_out) WHERE left_out > 0;
`
