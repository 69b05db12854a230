// A Jetstream host that died gives numbers of events that it lost to others, so a number alone does not tell
// where we were: what the event at it was is kept with the cursor.

export const version = 22

export const sql = /* sql */ `
ALTER TABLE stream_cursors ADD COLUMN mark TEXT; -- sources/jetstream/event-mark.ts; NULL: not known
`
