// Brings the search index of a test world up to date with its rows, as the ingest thread does on the side.

import type { WriteDb } from '../../src/data/store/db.ts'
import { tendSearch } from '../../src/ingest/indexing/search/search-upkeep.ts'
import { writerOf } from './writer-of.ts'

/** Few enough that a small world has several stretches. */
export const STRETCH_POSTS = 10

export function searchable({ db }: { db: WriteDb }, maxPosts = 1_000_000): void {
  const posts = { maxPosts, stretchPosts: STRETCH_POSTS }
  tendSearch({ writer: writerOf(db), posts }, () => false)
}
