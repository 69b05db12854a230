// Likes of a feed generator, starter pack or labeler are listed newest first, as with posts. Without this
// index, each page would sort every like it ever got.

export const version = 18

export const sql = /* sql */ `
CREATE INDEX record_likes_by_time ON record_likes (subject, created_at, uid);
`
