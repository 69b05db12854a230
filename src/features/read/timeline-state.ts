// io.slipstream.feed.getTimelineState, our own method: how far a newcomer's timeline is filled, and what share of
// the posts a lossy one takes. Lexicon: lexicons/io/slipstream/feed/getTimelineState.json.

import { createColdStarts } from '../../answers/skeleton/cold-starts.ts'
import { keepShare } from '../../data/graph/lossiness.ts'
import type { Db } from '../../data/store/db.ts'
import { countOutstanding } from '../../data/store/fetching/follow-order.ts'
import type { JobKind } from '../../data/store/fetching/job-kinds.ts'
import { followedBy } from '../../data/store/records/follows.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { query } from '../../http/xrpc/define.ts'

/** Jobs that bring the posts of the followed accounts. */
const POSTS: JobKind[] = ['latest', 'recent', 'feed']
const THOUSAND = 1_000

/** @param limit - number of follows from which on timelines are lossy; 0 for never */
export function getTimelineState(limit: number) {
  return query(
    'io.slipstream.feed.getTimelineState',
    { auth: 'required', showsLabels: false },
    ({ db, graph }, { viewer, reader }: SignedInCall<unknown>) => {
      const follows = graph.followsCount(viewer.uid)
      const isFilled = ['feeds', 'posts', 'everything'].includes(
        createColdStarts(db).reached(viewer.uid),
      )
      const share = Math.floor(keepShare(limit, follows) * THOUSAND)
      const arrived = isFilled ? follows : arrivedOf(db, viewer.uid, { follows, now: reader.now })
      return { body: { follows, arrived, isFilled, share, limit } }
    },
  )
}

/** Followed accounts whose newest posts are not on their way any more. */
function arrivedOf(
  db: Db,
  uid: number,
  { follows, now }: { follows: number; now: number },
): number {
  const waiting = countOutstanding(db, followedBy(db, uid), { kinds: POSTS, now })
  return Math.max(0, follows - waiting)
}
