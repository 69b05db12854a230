import { createReader } from '../../../answers/hydrate/reader.ts'
import { createKnownFollowers } from '../../../answers/skeleton/known-followers.ts'
import { type ExploreParts, type Person, personOf, type Subject } from './parts.ts'

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

export function proofView(parts: ExploreParts, viewer: Subject, subject: Subject): ProofView {
  const { graph } = parts
  const pair = { viewer: viewer.uid, subject: subject.uid }
  const { count, followers } = createKnownFollowers(parts).proof(pair, PRESENTED)
  const state = parts.hydrator.profiles(
    [viewer.uid, subject.uid, ...followers],
    createReader(undefined),
  )
  return {
    viewer: { ...personOf(parts, state, viewer.uid), follows: graph.followsCount(viewer.uid) },
    subject: {
      ...personOf(parts, state, subject.uid),
      followers: graph.followersCount(subject.uid),
    },
    isFollowing: graph.has(viewer.uid, subject.uid),
    isFollowedBy: graph.has(subject.uid, viewer.uid),
    count,
    known: followers.map((uid) => personOf(parts, state, uid)),
  }
}
