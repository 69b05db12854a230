// Loads the state that an answer's ids need: batched, synchronous, in one read transaction, so
// that the state is of one moment. What a page costs is about fifteen statements, however many
// items it has, and a few more for what was not read before.

import { prepareListOptOuts } from '../../data/store/read/list-opt-outs.ts'
import { atOneMoment } from '../../data/store/transact.ts'
import { KeptRows } from './cached-rows.ts'
import { withoutTakenDown } from './hide-taken-down.ts'
import type { Hydrator, ProfileOptions, RecordOptions } from './hydrator-types.ts'
import { loadBlocks } from './load-blocks.ts'
import { loadFeed, loadPostsOnly } from './load-feed.ts'
import { loadLabelled, loadSubjectLabels, withLabelsLoaded } from './load-labels.ts'
import { loadListsOnly } from './load-lists.ts'
import { loadNotifications } from './load-notifications.ts'
import { loadPostCounts, loadPostViewers } from './load-post-viewers.ts'
import { loadProfiles, loadRelationsOnly } from './load-profiles.ts'
import { loadRecordsOnly, membershipsOf } from './load-records.ts'
import { loadThread } from './load-thread.ts'
import type { NotificationState } from './notification-types.ts'
import { type HydratorParts, type Loader, prepareReaders } from './page.ts'
import type { Reader } from './reader.ts'
import type { ThreadHydration, ThreadState } from './thread-types.ts'
import type { FeedState, ProfileState } from './types.ts'

const MAX_KEPT_ACTOR_BYTES = 16 << 20
const MAX_KEPT_POST_BYTES = 32 << 20
const MAX_KEPT_REPOST_BYTES = 4 << 20

export function createHydrator(parts: HydratorParts): Hydrator {
  const { db, onUnusable = () => {} } = parts
  const loader: Loader = {
    readers: prepareReaders(db),
    optOuts: prepareListOptOuts(db, parts.actors),
    parts,
    onUnusable,
    keptActors: new KeptRows(MAX_KEPT_ACTOR_BYTES),
    keptPosts: new KeptRows(MAX_KEPT_POST_BYTES),
    keptReposts: new KeptRows(MAX_KEPT_REPOST_BYTES),
  }
  const labelled = <State extends ProfileState>(state: State) =>
    withLabelsLoaded(loader, withoutTakenDown(loader, state))
  return {
    feed: atOneMoment(
      db,
      (items: readonly number[], reader: Reader): FeedState =>
        labelled(loadFeed(loader, items, reader)),
    ),
    posts: atOneMoment(
      db,
      (ids: readonly number[], reader: Reader): FeedState =>
        labelled(loadPostsOnly(loader, ids, reader)),
    ),
    profiles: atOneMoment(
      db,
      (uids: readonly number[], reader: Reader, options?: ProfileOptions): ProfileState =>
        labelled(loadProfiles(loader, uids, reader, options ?? {})),
    ),
    thread: atOneMoment(
      db,
      (request: ThreadHydration, reader: Reader): ThreadState =>
        labelled(loadThread(loader, request, reader)),
    ),
    notifications: atOneMoment(
      db,
      (ids: readonly number[], reader: Reader): NotificationState =>
        labelled(loadNotifications(loader, ids, reader)),
    ),
    lists: atOneMoment(
      db,
      (ids: readonly number[], reader: Reader): ProfileState =>
        labelled(loadListsOnly(loader, ids, reader)),
    ),
    relations: atOneMoment(
      db,
      (uids: readonly number[], reader: Reader): ProfileState =>
        labelled(loadRelationsOnly(loader, uids, reader)),
    ),
    records: atOneMoment(
      db,
      (uris: readonly string[], reader: Reader, options?: RecordOptions): ProfileState =>
        labelled(loadRecordsOnly(loader, uris, reader, options ?? {})),
    ),
    memberships: (state, uid) => membershipsOf(loader, state, uid),
    postViewers: atOneMoment(db, (ids: readonly number[], { viewer }: Reader) =>
      loadPostViewers(loader, ids, viewer),
    ),
    postCounts: (ids) => loadPostCounts(loader, ids),
    labels: (subjects, reader) => loadSubjectLabels(loader, subjects, reader),
    labelled: (subjects, reader) => loadLabelled(loader, subjects, reader),
    blocks: (pairs, reader) => loadBlocks(loader, pairs, reader),
  }
}
