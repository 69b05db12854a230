// What a row of an edge table holds: a chunk of one of the two lists, and how large it may grow.

/** A record's kind, which its tables are named after. */
export type EdgeKind = 'likes' | 'follows' | 'blocks'

/** Part of whom or what a creator points at, ascending by subject. */
export type CreatorChunk = {
  /** At most the subject of the first entry, above all of the chunk before. */
  first: number
  /** The lowest and highest period of the entries' record keys. */
  oldest: number
  newest: number
  bytes: Buffer
}

/** Part of who points at a subject, ascending by time and account. */
export type SubjectChunk = {
  /** At most sortAt and account of the first entry, above all of the chunk before. */
  at: number
  uid: number
  bytes: Buffer
}

/** The most that a row may hold so that nothing of it leaves its page. */
export const MAX_CHUNK_BYTES = 940
