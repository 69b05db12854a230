// Of accounts deleted earlier, what their removal left goes now (as in data/store/migrations/).

export const version = 44

/** As in data/store/records/status.ts. */
const DELETED = 4

export const sql = /* sql */ `
INSERT OR IGNORE INTO removals (uid, begun_at, is_done)
  SELECT uid, status_at / 1000, 1 FROM actors
    WHERE status = ${DELETED} AND uid IN (SELECT uid FROM shared_state);
DELETE FROM shared_state WHERE uid NOT IN (SELECT uid FROM members);
`
