// When each notification arrived. Until now only the time of its record was stored, by which a merge of timelines
// that was read as it grew put late records behind others, though they had arrived after them. Of notifications
// that are there already, it is not known.

export const version = 48

export const sql = /* sql */ `
ALTER TABLE notifications ADD COLUMN arrived_at INTEGER;  -- milliseconds, our clock; NULL: unknown
`
