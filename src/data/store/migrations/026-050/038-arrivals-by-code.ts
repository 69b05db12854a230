// Numbers of arrival are given by code (data/store/timelines/arrivals.ts) instead of triggers: for a statement that
// starts a trigger, SQLite copies each page before changing it, which doubled the cost of a repost.
// https://www.sqlite.org/tempfiles.html#statement_journal_files

export const version = 38

export const sql = /* sql */ `
DROP TRIGGER post_arrives;
DROP TRIGGER post_leaves;
DROP TRIGGER repost_arrives;
`
