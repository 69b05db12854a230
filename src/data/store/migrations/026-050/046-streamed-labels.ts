// Which labels a labeler's stream brought: silence in an answer withdraws none of these. Until now this was
// not recorded, so all labels of a labeler whose stream was ever read count as such.

export const version = 46

export const sql = /* sql */ `
ALTER TABLE labels ADD COLUMN streamed INTEGER NOT NULL DEFAULT 0;
UPDATE labels SET streamed = 1 WHERE src IN (SELECT uid FROM labelers WHERE cursor IS NOT NULL);
`
