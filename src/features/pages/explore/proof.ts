import { createReader } from '../../../answers/hydrate/reader.ts'
import { createKnownFollowers } from '../../../answers/skeleton/known-followers.ts'
import { type ExploreContext, type Person, personOf, type Subject } from './context.ts'

type ProofView = {
  viewer: Person & { follows: number }
  subject: Person & { followers: number }
  isFollowing: boolean
  isFollowedBy: boolean
  count: number
  /** The first of them, in the order that clients get. */
  known: Person[]
}

const PRESENTED = 24

export function proofView(context: ExploreContext, viewer: Subject, subject: Subject): ProofView {
  const { graph } = context
  const pair = { viewer: viewer.uid, subject: subject.uid }
  const { count, followers } = createKnownFollowers(context).proof(pair, PRESENTED)
  const state = context.hydrator.profiles(
    [viewer.uid, subject.uid, ...followers],
    createReader(undefined),
  )
  return {
    viewer: { ...personOf(context, state, viewer.uid), follows: graph.followsCount(viewer.uid) },
    subject: {
      ...personOf(context, state, subject.uid),
      followers: graph.followersCount(subject.uid),
    },
    isFollowing: graph.has(viewer.uid, subject.uid),
    isFollowedBy: graph.has(subject.uid, viewer.uid),
    count,
    known: followers.map((uid) => personOf(context, state, uid)),
  }
}
