// Loads the state that an answer's ids need: batched, synchronous, in one read transaction, so
// that the state is of one moment. What a page costs is about fifteen statements, however many
// items it has, and a few more for what was not read before.

import { KeptRows } from './kept-rows.ts'
import { loadFeed, loadPostsOnly } from './load-feed.ts'
import { loadProfiles } from './load-profiles.ts'
import { type HydratorParts, type Loader, prepareReaders } from './page.ts'
import type { FeedState, Hydrator, ProfileOptions, ProfileState, Viewer } from './types.ts'

const MAX_KEPT_ACTOR_BYTES = 16 << 20
const MAX_KEPT_POST_BYTES = 32 << 20
const MAX_KEPT_REPOST_BYTES = 4 << 20

export function createHydrator(parts: HydratorParts): Hydrator {
  const { db, onUnusable = () => {} } = parts
  const loader: Loader = {
    readers: prepareReaders(db),
    parts,
    onUnusable,
    keptActors: new KeptRows(MAX_KEPT_ACTOR_BYTES),
    keptPosts: new KeptRows(MAX_KEPT_POST_BYTES),
    keptReposts: new KeptRows(MAX_KEPT_REPOST_BYTES),
  }
  return {
    feed: db.transaction(
      (items: readonly number[], viewer: Viewer): FeedState => loadFeed(loader, items, viewer),
    ),
    posts: db.transaction(
      (ids: readonly number[], viewer: Viewer): FeedState => loadPostsOnly(loader, ids, viewer),
    ),
    profiles: db.transaction(
      (uids: readonly number[], viewer: Viewer, options?: ProfileOptions): ProfileState =>
        loadProfiles(loader, uids, viewer, options ?? {}),
    ),
  }
}
