// Stored reading positions belong to a member or a token, so that they go with it, and are small: positions
// instead of signed texts, and a digest of the timeline's key. Of a reader's earlier rows the newest stay.

import type Database from 'better-sqlite3'
import { timelineDigest } from './timeline-digest.ts'

export const version = 42

const OF_MEMBER = 64
const OF_TOKEN = 1_000

export function run(db: Database.Database): void {
  db.function('timeline_digest', { deterministic: true }, (key: unknown) =>
    timelineDigest(String(key)),
  )
  db.function('cursor_part', { deterministic: true }, (cursor: unknown, part: unknown) =>
    part === 'd' ? (contentOf(cursor)?.d ?? null) : (contentOf(cursor)?.s.join(' ') ?? null),
  )
}

type Content = { d: string; s: string[] }

/** A cursor is JSON in base64url, a dot and a signature that was checked before it was stored. */
function contentOf(cursor: unknown): Content | undefined {
  try {
    const text = Buffer.from(String(cursor).split('.')[0]!, 'base64url').toString()
    const { d, s } = JSON.parse(text) as Content
    return s.length <= 16 && s.every((value) => /^-?\d{1,16}$/.test(value)) ? { d, s } : undefined
  } catch {
    return undefined
  }
}

export const sql = /* sql */ `
ALTER TABLE timeline_cursors RENAME TO earlier_cursors;
CREATE TABLE timeline_cursors (
  uid INTEGER NOT NULL,               -- the member's; 0: a token's
  token TEXT NOT NULL,                -- the token's name; '': a member's
  timeline BLOB NOT NULL,             -- 16 bytes of the SHA-256 of its key
  is_forward INTEGER NOT NULL,
  positions TEXT NOT NULL,            -- numbers: one per merged timeline, in the key's order
  updated_at INTEGER NOT NULL,        -- milliseconds
  PRIMARY KEY (uid, token, timeline)
) WITHOUT ROWID;
CREATE INDEX timeline_cursors_by_age ON timeline_cursors (updated_at);

INSERT INTO timeline_cursors SELECT uid, token, timeline, is_forward, positions, updated_at FROM (
  SELECT owner.uid, owner.token, timeline_digest(c.timeline) AS timeline,
    cursor_part(c.cursor, 'd') = 'f' AS is_forward, cursor_part(c.cursor, 's') AS positions, c.updated_at,
    row_number() OVER (PARTITION BY c.reader ORDER BY c.updated_at DESC, c.timeline) AS place
  FROM earlier_cursors c JOIN (
    SELECT actors.did AS reader, uid, '' AS token FROM members JOIN actors USING (uid)
    UNION ALL SELECT 'token ' || name, 0, name FROM service_tokens WHERE revoked_at IS NULL
  ) owner ON owner.reader = c.reader
) WHERE positions IS NOT NULL AND place <= CASE uid WHEN 0 THEN ${OF_TOKEN} ELSE ${OF_MEMBER} END;
DROP TABLE earlier_cursors;
`
