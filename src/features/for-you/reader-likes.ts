// What a member liked, by our rows, as the engine knows it. The keys of liked posts are remembered for the readers
// who were here last, since a page reads up to two thousand.

import { DAY_MS, MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { likeEdges } from '../../data/store/edges/all-edges.ts'
import { type Pointer, periodStart } from '../../data/store/edges/edge.ts'
import { anchor } from './engine/hear.ts'
import { H, type State } from './engine/layout.ts'
import { ageOf } from './engine/minutes.ts'
import { ANCHOR_DAYS, findPost, type PostKey } from './engine/posts.ts'
import type { Liked } from './engine/recommend.ts'
import { eachLiked } from './engine/walk.ts'
import { keyOf } from './post-keys.ts'
import { postKeys } from './store/posts.ts'

const MAX_LIKES = 2000
/** Liked posts whose keys are read in one step. */
const A_STEP = 500
const MAX_ANCHORS = 500
const MAX_READERS = 16

type Keys = Map<number, PostKey | undefined>
type Dependencies = { db: Db; actors: Pick<ActorReader, 'didOf'> }

type ReaderLikes = (uid: number, state: State) => Generator<void, Liked[]>

/** @returns a function that reads a member's latest likes, newest first, in steps */
export function createReaderLikes({ db, actors }: Dependencies): ReaderLikes {
  const remembered = new LruMap<number, Keys>(MAX_READERS)
  return function* likesOf(uid, state) {
    const latest = latestLikes(db, uid, MAX_LIKES)
    const before = remembered.get(uid) ?? new Map()
    const keys: Keys = new Map()
    for (let i = 0; i < latest.length; i += A_STEP) {
      for (const [id, key] of keysOf({ db, actors }, latest.slice(i, i + A_STEP), before)) {
        keys.set(id, key)
      }
      yield
    }
    remembered.set(uid, keys)
    return latest.map(({ subject, period }) => {
      const key = keys.get(subject)
      return { post: key ? findPost(state, key) : -1, timeMs: periodStart(period) }
    })
  }
}

/** The likes of a reader whose rows are not kept: those that the engine heard. Newest first. */
export function likesHeard(state: State, slot: number): Liked[] {
  const liked: Liked[] = []
  if (slot < 0) return liked
  const now = state.header[H.now]!
  eachLiked(state, slot, MAX_LIKES, (post, minute) => {
    liked.push({ post, timeMs: (now - ageOf(minute, now)) * MINUTE_MS })
    return true
  })
  return liked
}

function latestLikes(db: Db, uid: number, limit: number): Pointer[] {
  const pointers = likeEdges.pointersOf(db, uid)
  return pointers.sort((a, b) => b.period - a.period).slice(0, limit)
}

function keysOf({ db, actors }: Dependencies, latest: readonly Pointer[], before: Keys): Keys {
  const subjects = latest.map(({ subject }) => subject)
  const keys: Keys = new Map(subjects.map((id) => [id, before.get(id)]))
  const unknown = subjects.filter((id) => !before.has(id))
  if (unknown.length === 0) return keys
  for (const { id, uid, rkey } of postKeys(db, unknown))
    keys.set(id, keyOf(actors.didOf(uid), rkey))
  return keys
}

/** Makes what a member liked of late connect them with others who liked it. */
export function connectLikes(
  parts: Dependencies & { now: () => number },
  state: State,
  uid: number,
): void {
  if (uid === 0) return
  const since = parts.now() - ANCHOR_DAYS * DAY_MS
  const latest = latestLikes(parts.db, uid, MAX_ANCHORS).filter(
    ({ period }) => periodStart(period) > since,
  )
  for (const key of keysOf(parts, latest, new Map()).values()) {
    const post = key ? findPost(state, key) : -1
    if (post >= 0) anchor(state, post)
  }
}
