// Members' quiet hours, in which their devices receive no pushes: private state, which is in no repository.

export const version = 68

export const sql = /* sql */ `
CREATE TABLE push_quiet_hours (
  uid INTEGER PRIMARY KEY,
  starts INTEGER NOT NULL,            -- minutes since midnight
  ends INTEGER NOT NULL,              -- the same; on the next day if earlier
  time_zone TEXT NOT NULL             -- of the IANA database
);
`
