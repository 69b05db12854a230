// Readers for the dataplane's calls: the same readers that XRPC uses, over this thread's own connection.
// There is no second way to a row. The rest maps at-URIs and DIDs to the integers that the readers take, and
// back, in batches.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import { createEngagement } from '../../../answers/skeleton/engagement.ts'
import type { Searching } from '../../../answers/skeleton/search/searches.ts'
import { recordUri } from '../../../base/atproto/at-uri.ts'
import type { Config } from '../../../base/config/config.ts'
import type { Logger } from '../../../base/obs/log.ts'
import type { IngestConnection } from '../../../bridge/connection.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../../data/store/db.ts'
import { createAccounts } from '../../../data/store/read/accounts/accounts.ts'
import { prepareActors } from '../../../data/store/read/accounts/actors.ts'
import { prepareLists } from '../../../data/store/read/lists/lists.ts'
import { preparePacks } from '../../../data/store/read/lists/packs.ts'
import { prepareGates } from '../../../data/store/read/posts/gates.ts'
import { preparePostViewers } from '../../../data/store/read/posts/post-viewers.ts'
import { preparePosts } from '../../../data/store/read/posts/posts.ts'
import { prepareReposts } from '../../../data/store/read/posts/reposts.ts'
import { prepareAssociated } from '../../../data/store/read/records/associated-records.ts'
import { prepareRecords } from '../../../data/store/read/records/records.ts'
import { isRepostItem, rowIdOf } from '../../../data/store/timelines/item-ids.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import { createMemory } from './memory.ts'
import { createNames } from './names.ts'

export type DataplaneContext = {
  config: Config
  log: Logger
  /** Read-only connection. */
  db: Db
  hydrator: Pick<Hydrator, 'labels' | 'blocks' | 'notifications' | 'profiles'>
  /** Undefined: nothing is cached between calls. */
  invalidations: InvalidationReader | undefined
  search: Searching
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  /** Whether a lossy timeline keeps an item. */
  isDrawn: (owner: number, item: number) => boolean
  writer: Writer
  ingest: Pick<IngestConnection, 'operate'>
  resolver: Pick<Resolver, 'resolve' | 'resolveHandle'>
  /** Admits an account that reads through the frontend, if it may read. */
  onViewer: (did: string) => void
}

export type Reading = ReturnType<typeof createReading>

const LIST = 'app.bsky.graph.list'

export function createReading(context: DataplaneContext) {
  const { db, actors } = context
  const memory = createMemory(context)
  const readers = {
    accounts: createAccounts(db),
    profiles: prepareActors(db),
    posts: preparePosts(db),
    reposts: prepareReposts(db),
    records: prepareRecords(db),
    associated: prepareAssociated(db),
    gates: prepareGates(db),
    lists: prepareLists(db),
    packs: preparePacks(db),
    postViewers: preparePostViewers(db),
    engagement: createEngagement({ db, actors }),
  }
  const names = createNames({ ...context, memory, posts: readers.posts, reposts: readers.reposts })

  return {
    ...context,
    ...readers,
    ...names,
    memory,

    /** at-URIs by lists.id, of lists whose record is stored here. */
    listUris(ids: Iterable<number>): Map<number, string> {
      const rows = readers.lists.byId(ids, 0)
      return new Map(
        rows.map(({ id, uid, rkey }) => [id, recordUri(actors.didOf(uid), LIST, rkey)]),
      )
    },

    /** In the order of `items`, without those whose rows are gone. */
    feedItems(items: readonly number[]): { uri: string; repost?: string }[] {
      const reposts = names.repostsById(items.filter(isRepostItem).map(rowIdOf))
      const postIds = items.map((item) =>
        isRepostItem(item) ? (reposts.get(rowIdOf(item))?.subject ?? 0) : rowIdOf(item),
      )
      const posts = names.postUris(new Set(postIds))
      return items.flatMap((item, i) => {
        const uri = posts.get(postIds[i]!)
        if (uri === undefined) return []
        return [isRepostItem(item) ? { uri, repost: reposts.get(rowIdOf(item))!.uri } : { uri }]
      })
    },
  }
}
