// What the calls of the dataplane read by: the readers that XRPC's answers are made with, over this
// thread's own connection. There is no second way to a row; what is here beyond them turns at-URIs and
// DIDs into the integers that the readers take, many at a time, and back.

import { createEngagement } from '../../answers/skeleton/engagement.ts'
import { recordUri } from '../../base/atproto/at-uri.ts'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader, FollowGraphReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { isRepostItem, rowIdOf } from '../../data/store/item-ids.ts'
import { createAccounts } from '../../data/store/read/accounts.ts'
import { prepareActors } from '../../data/store/read/actors.ts'
import { prepareGates } from '../../data/store/read/gates.ts'
import { prepareLists } from '../../data/store/read/lists.ts'
import { preparePacks } from '../../data/store/read/packs.ts'
import { preparePostViewers } from '../../data/store/read/post-viewers.ts'
import { type PostKeyRow, preparePosts } from '../../data/store/read/posts.ts'
import { createPostsByUri } from '../../data/store/read/posts-by-uri.ts'
import { prepareRecords } from '../../data/store/read/records.ts'
import { prepareReposts } from '../../data/store/read/reposts.ts'
import type { TimelineReader } from '../../data/timeline/types.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'

export type DataplaneParts = {
  config: Config
  log: Logger
  /** A connection that is only read from. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  /** Whether a lossy timeline keeps an item. */
  keeps: (owner: number, item: number) => boolean
  writer: Writer
  ingest: Pick<IngestConnection, 'operate'>
  resolver: Pick<Resolver, 'resolve' | 'resolveHandle'>
  /** Somebody reads by way of the frontend; throws for whoever may not. */
  onViewer: (did: string) => void
}

export type Reading = ReturnType<typeof createReading>

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const LIST = 'app.bsky.graph.list'

export function createReading(parts: DataplaneParts) {
  const { db, actors } = parts
  const readers = {
    accounts: createAccounts(db),
    profiles: prepareActors(db),
    posts: preparePosts(db),
    postsByUri: createPostsByUri({ db, actors }),
    reposts: prepareReposts(db),
    records: prepareRecords(db),
    gates: prepareGates(db),
    lists: prepareLists(db),
    packs: preparePacks(db),
    deeds: preparePostViewers(db),
    engagement: createEngagement({ db, actors }),
  }

  function postUri({ uid, rkey }: PostKeyRow): string {
    return recordUri(actors.didOf(uid), POST, rkey)
  }

  return {
    ...parts,
    ...readers,

    /** at-URIs of posts by posts.id. */
    postUris(ids: Iterable<number>, isShown = (_: PostKeyRow) => true): Map<number, string> {
      const rows = readers.posts.keys(ids).filter(isShown)
      return new Map(rows.map((row) => [row.id, postUri(row)]))
    },

    /** at-URIs of lists by lists.id, of those whose record is here. */
    listUris(ids: Iterable<number>): Map<number, string> {
      const rows = readers.lists.byId(ids, 0)
      return new Map(
        rows.map(({ id, uid, rkey }) => [id, recordUri(actors.didOf(uid), LIST, rkey)]),
      )
    },

    /** Feed items in their order; those whose rows are gone are left out. */
    feedItems(items: readonly number[]): { uri: string; repost?: string }[] {
      const repostIds = items.filter(isRepostItem).map(rowIdOf)
      const reposts = readReposts(readers.reposts, repostIds)
      const postIds = items.map((item) =>
        isRepostItem(item) ? (reposts.get(rowIdOf(item))?.subject ?? 0) : rowIdOf(item),
      )
      const posts = this.postUris(new Set(postIds))
      return items.flatMap((item, i) => {
        const uri = posts.get(postIds[i]!)
        if (uri === undefined) return []
        if (!isRepostItem(item)) return [{ uri }]
        const { uid, rkey } = reposts.get(rowIdOf(item))!
        return [{ uri, repost: recordUri(actors.didOf(uid), REPOST, rkey) }]
      })
    },
  }
}

function readReposts(reader: ReturnType<typeof prepareReposts>, ids: readonly number[]) {
  if (ids.length === 0) return new Map()
  const keys = new Map(reader.texts(ids).map(([id, rkey]) => [id, rkey]))
  return new Map(
    reader
      .rows(ids)
      .map(([id, uid, subject]) => [id, { uid, subject, rkey: keys.get(id)! }] as const),
  )
}
