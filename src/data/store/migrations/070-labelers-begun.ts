// Since when a labeler's stream is another one: it said that our cursor is of the future, as after the loss of its
// store. What an earlier stream brought holds as long as its answers have it.

export const version = 70

export const sql = /* sql */ `
ALTER TABLE labelers ADD COLUMN begun_at INTEGER;
`
