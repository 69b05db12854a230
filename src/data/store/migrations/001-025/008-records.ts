// Records of the rare kinds: feed generators, starter packs, labelers, live statuses, verifications and
// declarations. All share one table, distinguished by the collection's code; views read them from their JSON.
// As with lists, a row exists as soon as anything points at the record; `cid` is NULL while it is missing.
// Likes of such records are kept apart from those of posts (002), since the two share no ids. Accounts that
// joined through a starter pack are counted from profiles, which name it themselves.

export const version = 8

const JOINED_THROUGH = `CASE WHEN instr(record, 'joinedViaStarterPack') > 0
  AND json_valid(CAST(record AS TEXT))
  THEN json_extract(CAST(record AS TEXT), '$.joinedViaStarterPack.uri') END`

export const sql = /* sql */ `
CREATE TABLE records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid INTEGER NOT NULL,
  collection INTEGER NOT NULL,        -- CollectionCode, see collections.ts
  rkey NOT NULL,
  cid BLOB,                           -- NULL while only pointed at
  rev TEXT,
  record BLOB,                        -- JSON, as it came
  created_at INTEGER,
  sort_at INTEGER,                    -- min(created_at, indexed_at)
  subject INTEGER,                    -- actors.uid of whom a verification is about
  likes INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX records_by_key ON records (uid, collection, rkey);
CREATE INDEX records_by_time ON records (uid, collection, sort_at) WHERE cid IS NOT NULL;
CREATE INDEX records_of_profiles ON records (uid) WHERE rkey = 'self' AND cid IS NOT NULL;
CREATE INDEX records_by_subject ON records (subject, uid) WHERE subject IS NOT NULL;
CREATE INDEX records_by_likes ON records (collection, likes) WHERE cid IS NOT NULL;

CREATE TABLE record_likes (
  uid INTEGER NOT NULL,
  rkey NOT NULL,
  subject INTEGER NOT NULL,           -- records.id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (uid, rkey)
) WITHOUT ROWID;
CREATE INDEX record_likes_by_subject ON record_likes (subject, uid);

CREATE INDEX profiles_by_starter_pack ON profiles (${JOINED_THROUGH}, created_at)
  WHERE ${JOINED_THROUGH} IS NOT NULL;
`

/**
 * At-URI of a profile's starter pack. Must match the index expression, or the index would not be
 * used.
 */
export const joinedThrough = JOINED_THROUGH
