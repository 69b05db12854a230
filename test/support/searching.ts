// Brings the search index of a test's world up with its rows, as the ingest thread does in passing.

import type { Db } from '../../src/data/store/db.ts'
import { tendSearch } from '../../src/ingest/indexing/search-upkeep.ts'

export function searchable({ db }: { db: Db }, maxPosts = 1_000_000): void {
  tendSearch({ db, posts: { maxPosts } }, () => false)
}
