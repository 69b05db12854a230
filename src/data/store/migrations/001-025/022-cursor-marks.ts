// A Jetstream host that died reassigns the numbers of events that it lost, so a number alone does not
// identify our position: the cursor also stores the event that had it.

export const version = 22

export const sql = /* sql */ `
ALTER TABLE stream_cursors ADD COLUMN mark TEXT; -- sources/jetstream/event-mark.ts; NULL: not known
`
