// Brings the search index of a test world up to date with its rows, as the ingest thread does on the side.

import type { WriteDb } from '../../src/data/store/db.ts'
import { tendSearch } from '../../src/ingest/indexing/search-upkeep.ts'
import { writerOf } from './writer-of.ts'

export function searchable({ db }: { db: WriteDb }, maxPosts = 1_000_000): void {
  tendSearch({ writer: writerOf(db), posts: { maxPosts } }, () => false)
}
