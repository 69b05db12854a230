// What the rows of programs' timelines count as, in bytes: their texts, and for the rest of a row and its
// entries in indexes somewhat more than SQLite takes. Triggers count keys, producers and skipped numbers
// (migrations/026-050/043-custom-timeline-bytes.ts).

const EVENT_BYTES = 40

export const KEY_BYTES = 128

type Texts = { entityId: string; entityType: string; payload: string }

export function eventBytes({ entityId, entityType, payload }: Texts): number {
  const texts = [entityId, entityType, payload]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), EVENT_BYTES)
}

/** The same in SQL. */
export const EVENT_BYTES_SQL = ['entity_id', 'entity_type', 'payload'].reduce(
  (sum, column) => `${sum} + length(CAST(${column} AS BLOB))`,
  String(EVENT_BYTES),
)

export function producerBytes(producer: string): number {
  return 64 + Buffer.byteLength(producer)
}

/** Of a stretch of skipped numbers. */
export function holeBytes(producer: string): number {
  return 128 + 2 * Buffer.byteLength(producer)
}
