// The row of an edge table: a chunk of one of the two lists, and how large it may grow.

import { EARLIEST_MS } from './edge.ts'

/** The kind of a record, which its tables are named after. */
export type EdgeKind = 'likes' | 'follows' | 'blocks'

/** Part of a creator's list of subjects, ascending by subject. */
export type CreatorChunk = {
  /** At most the subject of the first entry; above every subject of the previous chunk. */
  first: number
  /** The lowest and highest period of the entries' record keys. */
  oldest: number
  newest: number
  bytes: Buffer
}

/** Part of a subject's list of creators, ascending by time and account. */
export type SubjectChunk = {
  /** At most sortAt and account of the first entry; above all of the previous chunk. */
  at: number
  uid: number
  bytes: Buffer
}

/**
 * The empty chunk with which a list begins. It is stored so low that no entry is ever below it: under 0,
 * which takes fewer bytes, unless the entry's time is before 1970.
 */
export function firstChunkOf(sortAt: number): SubjectChunk {
  return { at: sortAt < 0 ? EARLIEST_MS : 0, uid: 0, bytes: Buffer.alloc(0) }
}

/** Maximum bytes of a row that does not overflow its page. */
export const MAX_CHUNK_BYTES = 940
