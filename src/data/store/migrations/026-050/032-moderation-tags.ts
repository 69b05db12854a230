// Moderators' tags on accounts, profiles and posts. As with takedowns, a tag is keyed by its subject's text
// form, since it may arrive before the record.

export const version = 32

export const sql = /* sql */ `
CREATE TABLE moderation_tags (
  subject TEXT NOT NULL,              -- a DID, or the at-URI of a profile or post
  tag TEXT NOT NULL,
  uid INTEGER NOT NULL,               -- whose it is
  collection INTEGER NOT NULL,        -- CollectionCode; 0: the account itself
  rkey NOT NULL,                      -- '' of an account
  at INTEGER NOT NULL,                -- our clock, milliseconds
  PRIMARY KEY (subject, tag)
) WITHOUT ROWID;
CREATE INDEX moderation_tags_by_key ON moderation_tags (uid, collection, rkey, tag);
ALTER TABLE moderation_log ADD COLUMN tag TEXT NOT NULL DEFAULT '';
`
