// Social proof: the accounts that the viewer follows and that follow the subject. The order is the graph's
// own (packages/follow-graph/): the same for every list and permanent, so a page never repeats or skips an
// account while follows change. Our integers stay internal, so the cursor names the last account by its DID.
// (The reference has no cursor here and no defined order.)

import { isValidDid } from '@atproto/syntax'
import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { ActorReader } from '../../data/graph/types.ts'
import { BadCursorError } from './page-cursor.ts'
import type { PageRange, SkeletonPage } from './skeleton-page.ts'

type KnownFollowersRequest = PageRange & { viewer: number; subject: number }

type KnownFollowersContext = { graph: FollowGraphReader; actors: ActorReader }

/** The number of known followers, and the first few. */
type SocialProof = { count: number; followers: number[] }

export function createKnownFollowers({ graph, actors }: KnownFollowersContext) {
  return {
    /** @throws BadCursorError */
    page({ viewer, subject, limit, cursor }: KnownFollowersRequest): SkeletonPage<number> {
      const out = new Uint32Array(limit + 1)
      const count = graph.knownFollowers(viewer, subject, parseCursor(actors, cursor), out)
      const uids = [...out.subarray(0, Math.min(count, limit))]
      const hasMore = count > limit
      return { items: uids, cursor: hasMore ? actors.didOf(uids.at(-1)!) : undefined }
    },

    proof(pair: { viewer: number; subject: number }, few: number): SocialProof {
      const { viewer, subject } = pair
      const out = new Uint32Array(few + 1)
      const found = graph.knownFollowers(viewer, subject, 0, out)
      // Counting reads both lists to the end; it is skipped if the few already found are all.
      const count = found <= few ? found : graph.knownFollowersCount(viewer, subject)
      return { count, followers: [...out.subarray(0, Math.min(found, few))] }
    },
  }
}

function parseCursor(actors: ActorReader, cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const uid = isValidDid(cursor) ? actors.uidOf(cursor) : 0
  if (uid === 0) throw new BadCursorError()
  return uid
}
