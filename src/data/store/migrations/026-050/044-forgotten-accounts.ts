// A deleted account stays in `removals` until its private rows are gone too, whether it was a member or not.
// Of accounts deleted earlier, what their removal left goes now.

export const version = 44

/** As in status.ts. */
const DELETED = 4

const PRIVATE = [
  ...['mutes', 'list_mutes', 'thread_mutes', 'bookmarks', 'drafts', 'preferences'],
  ...['activity_subscriptions', 'notification_settings', 'kept_identities'],
]
const gone = `(SELECT uid FROM actors WHERE status = ${DELETED})`

export const sql = /* sql */ `
ALTER TABLE removals ADD COLUMN is_done INTEGER NOT NULL DEFAULT 0; -- 1: only private rows may be left
CREATE INDEX removals_done ON removals (begun_at) WHERE is_done = 1;
CREATE INDEX removals_under_way ON removals (begun_at, uid) WHERE is_done = 0;
INSERT OR IGNORE INTO removals (uid, begun_at, is_done)
  SELECT uid, status_at / 1000, 1 FROM actors WHERE status = ${DELETED} AND (
    did IN (SELECT did FROM admissions)
    ${PRIVATE.map((table) => `OR uid IN (SELECT uid FROM ${table})`).join('\n    ')});
INSERT OR IGNORE INTO search_queue (kind, id) SELECT 1, uid FROM search_actors WHERE uid IN ${gone};
UPDATE actors SET handle = NULL, handle_valid = 0, pds = NULL, identity_checked_at = NULL, rev = NULL
  WHERE status = ${DELETED};
DELETE FROM feed_depths WHERE uid IN ${gone};
DELETE FROM keyless_follows WHERE creator IN ${gone};
DELETE FROM gaps WHERE uid IN ${gone};
UPDATE labelers SET named_by = 0 WHERE named_by NOT IN (SELECT uid FROM members);
`
