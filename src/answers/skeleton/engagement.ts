// The accounts that engaged with a post, and an account's likes and reposts, newest first. The cursor is `<ms>__<rest>`:
// the last entry's time, and its row or, for likes (which have no row), the account or post it leads to.

import { isValidDid } from '@atproto/syntax'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { likeEdges } from '../../data/store/edges/all-edges.ts'
import type { Edge } from '../../data/store/edges/edge.ts'
import { newestSubjects } from '../../data/store/edges/newest-subjects.ts'
import { type Before, NEWEST } from '../../data/store/edges/subject-lists.ts'
import { DELETED } from '../../data/store/posts/posts.ts'
import {
  type EngagementPosition,
  type EngagementRow,
  prepareEngagement,
  type ReadEngagement,
} from '../../data/store/read/posts/engagement.ts'
import { LATEST } from './feed-page.ts'
import { firstRecords } from './first-records.ts'
import { parsePosition } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type EngagementRequest = { post: number; limit: number; cursor: string | undefined }
type PositionRequest = { of: number; limit: number; cursor: string | undefined }
type ByCreator = { creator: number; limit: number; cursor: string | undefined }

const ROW_ID = /^[1-9]\d{0,14}$/

/** Times are in milliseconds. */
export type Like = { uid: number; createdAt: number; sortAt: number }

/** @returns functions that each read one page; each @throws BadCursorError */
export function createEngagement({ db, actors }: { db: Db; actors: ActorReader }) {
  const reader = prepareEngagement(db)
  return {
    /** Lists each account once. */
    likes({ post, limit, cursor }: EngagementRequest): SkeletonPage<Like & Pick<Edge, 'rkey'>> {
      const before = parseLikeCursor(cursor, (did) => (isValidDid(did) ? actors.uidOf(did) : 0))
      const { items, last } = firstRecords<Edge, Before>({
        limit,
        before,
        read: (position, count) => likeEdges.newest(db, post, position, count),
        areFirst: (likes) => likeEdges.areFirst(db, likes),
        positionOf: ({ sortAt, uid }) => ({ sortAt, uid }),
      })
      return { items, cursor: last && `${last.sortAt}__${actors.didOf(last.uid)}` }
    },

    /** posts.id of the posts the account likes, each once. */
    likedPosts({ creator, limit, cursor }: ByCreator): SkeletonPage<number> {
      const before = parseLikeCursor(cursor, (id) => (ROW_ID.test(id) ? Number(id) : 0))
      const { items, last } = firstRecords<Edge, Before>({
        limit,
        before,
        read: (position, count) =>
          newestSubjects(db, likeEdges, { creator, before: position, limit: count }),
        areFirst: (likes) => likeEdges.areFirstOf(db, creator, likes),
        positionOf: ({ sortAt, subject }) => ({ sortAt, uid: subject }),
      })
      return {
        items: items.map(({ subject }) => subject),
        cursor: last && `${last.sortAt}__${last.subject}`,
      }
    },

    /** Whether the account likes or reposted the post, as far as we know. */
    hasLiked: (uid: number, post: number) => likeEdges.has(db, uid, post),
    hasReposted: reader.hasReposted,

    /** uids, each once. */
    reposters: ({ post, ...page }: EngagementRequest) =>
      byPosition(reader.reposts, { of: post, ...page }),

    /** reposts.id: the first of each account. */
    reposts: ({ post, ...page }: EngagementRequest) =>
      byPosition(reader.reposts, { of: post, ...page }, ({ id }) => id),

    /** reposts.id of the account's own, each of them. */
    repostsBy: ({ creator, ...page }: ByCreator): SkeletonPage<number> =>
      byPosition(reader.repostsBy, { of: creator, ...page }),

    /** posts.id of the posts that quote it. A deleted post has no quotes. */
    quotes({ post, ...page }: EngagementRequest): SkeletonPage<number> {
      if (reader.stateOf(post) === DELETED) return { items: [], cursor: undefined }
      return byPosition(reader.quotes, { of: post, ...page })
    },
  }
}

function parseLikeCursor(cursor: string | undefined, idOf: (rest: string) => number): Before {
  if (cursor === undefined) return NEWEST
  const [sortAt, uid] = parsePosition(cursor, {
    read: (rest) => idOf(rest) || undefined,
    lowest: 0,
  })
  return { sortAt, uid }
}

function byPosition(
  read: ReadEngagement,
  { of, limit, cursor }: PositionRequest,
  itemOf: (row: EngagementRow) => number = ({ shown: visible }) => visible,
): SkeletonPage<number> {
  const rows = read(of, parseRowPosition(cursor), limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(itemOf),
    cursor: last && `${last.sortAt}__${last.id}`,
  }
}

function parseRowPosition(cursor: string | undefined): EngagementPosition {
  if (cursor === undefined) return { sortAt: LATEST, id: 0 }
  const read = (rest: string) => (ROW_ID.test(rest) ? Number(rest) : undefined)
  const [sortAt, id] = parsePosition(cursor, { read, lowest: 0 })
  return { sortAt, id }
}
