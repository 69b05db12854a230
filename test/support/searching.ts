// Brings the search index of a test's world up with its rows, as the ingest thread does in passing.

import { tendSearch } from '../../src/indexing/search-upkeep.ts'
import type { Db } from '../../src/store/db.ts'

export function searchable({ db }: { db: Db }, maxPosts = 1_000_000): void {
  tendSearch({ db, posts: { maxPosts } }, () => false)
}
