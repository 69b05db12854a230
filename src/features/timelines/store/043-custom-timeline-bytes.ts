// The size of a program's timeline counts all that is stored of it: an event's texts, and apart from those, by
// triggers, its idempotency keys, producers and skipped numbers. Skipped numbers are rows by stretch, not by
// number. Sizes as in custom-sizes.ts.

export const version = 43

/** Stretches of skipped numbers that are given up: the newest stay. */
const RANGES = 1_000

const counted = (table: string, size: (row: string) => string) => `
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN
  UPDATE custom_timelines SET other_bytes = other_bytes + ${size('NEW')} WHERE id = NEW.timeline;
END;
CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} BEGIN
  UPDATE custom_timelines SET other_bytes = other_bytes - ${size('OLD')} WHERE id = OLD.timeline;
END;`

const bytes = (text: string) => `length(CAST(${text} AS BLOB))`

const keySize = () => '128'
const producerSize = (row: string) => `64 + ${bytes(`${row}.producer`)}`
const holeSize = (row: string) => `128 + 2 * ${bytes(`${row}.producer`)}`

export const sql = /* sql */ `
ALTER TABLE custom_timelines ADD COLUMN other_bytes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE custom_holes RENAME TO earlier_holes;
DROP INDEX custom_holes_by_number;
DROP INDEX custom_holes_waiting;
CREATE TABLE custom_holes (
  timeline INTEGER NOT NULL,
  seq INTEGER NOT NULL,               -- the first place
  count INTEGER NOT NULL,             -- places, each for the next number of the producer
  producer TEXT NOT NULL,
  number INTEGER NOT NULL,            -- the first skipped number
  since INTEGER NOT NULL,             -- milliseconds, our clock
  is_given_up INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (timeline, seq)
) WITHOUT ROWID;
INSERT INTO custom_holes
  SELECT timeline, min(seq), count(*), producer, min(number), min(since), is_given_up FROM (
    SELECT *, seq - row_number() OVER (PARTITION BY timeline, producer, is_given_up ORDER BY seq) AS stretch
      FROM earlier_holes)
  GROUP BY timeline, producer, is_given_up, stretch, number - seq;
DROP TABLE earlier_holes;
DELETE FROM custom_holes WHERE (timeline, seq) IN (
  SELECT timeline, seq FROM (
    SELECT timeline, seq, row_number() OVER (PARTITION BY timeline ORDER BY seq DESC) AS place
      FROM custom_holes WHERE is_given_up = 1)
  WHERE place > ${RANGES});
CREATE UNIQUE INDEX custom_holes_by_number ON custom_holes (timeline, producer, number);
CREATE INDEX custom_holes_open ON custom_holes (timeline, seq) WHERE is_given_up = 0;
CREATE INDEX custom_holes_waiting ON custom_holes (since) WHERE is_given_up = 0;

UPDATE custom_timelines SET
  bytes = (SELECT coalesce(sum(40 + ${bytes('entity_id')} + ${bytes('entity_type')} + ${bytes('payload')}), 0)
    FROM custom_events WHERE timeline = id),
  other_bytes = (SELECT count(*) * ${keySize()} FROM custom_keys WHERE timeline = id)
    + (SELECT coalesce(sum(${producerSize('p')}), 0) FROM custom_producers p WHERE timeline = id)
    + (SELECT coalesce(sum(${holeSize('h')}), 0) FROM custom_holes h WHERE timeline = id);
${counted('custom_keys', keySize)}
${counted('custom_producers', producerSize)}
${counted('custom_holes', holeSize)}
`
