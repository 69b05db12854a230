// Loads the state that an answer's ids need: batched, synchronous, and in one read transaction, so that the
// state is consistent. A page costs about fifteen statements, however many items it has, and a few more for
// rows not read before.

import { prepareListOptOuts } from '../../data/store/read/lists/list-opt-outs.ts'
import { atOneMoment } from '../../data/store/transact.ts'
import { CachedRows } from './cached-rows.ts'
import type { Hydrator } from './hydrator-types.ts'
import { createKnownLikers } from './known-likers.ts'
import { withoutTakenDown } from './load/hide-taken-down.ts'
import { loadBlocks } from './load/load-blocks.ts'
import { loadFeed, loadPostsOnly } from './load/load-feed.ts'
import { loadLabelled, loadSubjectLabels, withLabelsLoaded } from './load/load-labels.ts'
import { loadListsOnly } from './load/load-lists.ts'
import { loadNotifications } from './load/load-notifications.ts'
import { loadPostCounts, loadPostViewers } from './load/load-post-viewers.ts'
import { loadProfiles, loadRelationsOnly } from './load/load-profiles.ts'
import { loadRecordsOnly, membershipsOf } from './load/load-records.ts'
import { loadThread } from './load/load-thread.ts'
import { type HydratorContext, type Loader, prepareReaders } from './page.ts'
import type { Reader } from './reader.ts'
import type { ProfileState } from './types.ts'

const MAX_CACHED_ACTOR_BYTES = 16 << 20
const MAX_CACHED_POST_BYTES = 32 << 20
const MAX_CACHED_REPOST_BYTES = 4 << 20

export function createHydrator(context: HydratorContext): Hydrator {
  const { db, onUnusable = () => {} } = context
  const loader: Loader = {
    readers: prepareReaders(db),
    optOuts: prepareListOptOuts(db, context.actors),
    context,
    knownLikers: createKnownLikers(context),
    onUnusable,
    cachedActors: new CachedRows(MAX_CACHED_ACTOR_BYTES),
    cachedPosts: new CachedRows(MAX_CACHED_POST_BYTES),
    cachedReposts: new CachedRows(MAX_CACHED_REPOST_BYTES),
  }
  /** Reads labels last, and hides records taken down by a labeler. */
  const reading = <Ids, Options, State extends ProfileState>(
    load: (loader: Loader, ids: Ids, reader: Reader, options?: Options) => State,
  ) =>
    atOneMoment(db, (ids: Ids, reader: Reader, options?: Options) => {
      const state = load(loader, ids, reader, options)
      return withLabelsLoaded(loader, withoutTakenDown(loader, state))
    })
  return {
    feed: reading(loadFeed),
    posts: reading(loadPostsOnly),
    profiles: reading(loadProfiles),
    thread: reading(loadThread),
    notifications: reading(loadNotifications),
    lists: reading(loadListsOnly),
    relations: reading(loadRelationsOnly),
    records: reading(loadRecordsOnly),
    memberships: (state, uid) => membershipsOf(loader, state, uid),
    postViewers: atOneMoment(db, (ids: readonly number[], { viewer }: Reader) =>
      loadPostViewers(loader, ids, viewer),
    ),
    postCounts: (ids) => loadPostCounts(loader, ids),
    knownLikers: loader.knownLikers,
    labels: (subjects, reader) => loadSubjectLabels(loader, subjects, reader),
    labelled: (subjects, reader) => loadLabelled(loader, subjects, reader),
    blocks: (pairs, reader) => loadBlocks(loader, pairs, reader),
  }
}
