// Who likes a feed generator, a starter pack or a labeler is listed latest first, as with posts. Without this,
// each page would sort everybody who ever liked it.

export const version = 18

export const sql = /* sql */ `
CREATE INDEX record_likes_by_time ON record_likes (subject, created_at, uid);
`
