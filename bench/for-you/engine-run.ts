// Plays a network to the engine and takes the readers' pages.

import { hear } from '../../src/features/for-you/engine/hear.ts'
import { createState, type State } from '../../src/features/for-you/engine/layout.ts'
import { findPost, keyOfPost, type PostKey } from '../../src/features/for-you/engine/posts.ts'
import {
  createScratch,
  type Liked,
  recommend,
  TUNING,
  type Tuning,
} from '../../src/features/for-you/engine/recommend.ts'
import { findUser, fingerprintOf } from '../../src/features/for-you/engine/users.ts'
import type { Network } from './network.ts'

const START_MS = Date.UTC(2026, 0)
const POST_AREA = 2 ** 20

/** The words of a made-up did:plc. */
export function didOf(account: number): Int32Array {
  return Int32Array.of(account + 1, 7, 11, 13)
}

export function keyOf(network: Network, post: number): PostKey {
  return { did: didOf(network.postAuthor[post]!), top: POST_AREA + (post >>> 12), bottom: post | 0 }
}

function numberOf({ bottom }: PostKey): number {
  return bottom
}

export const timeOf = (minute: number) => START_MS + Math.floor(minute * 60_000)

/** Likes before `until`, in order. */
export function play(
  network: Network,
  { bytes, members, until }: { bytes: number; members: ReadonlySet<number>; until: number },
): State {
  const state = createState(bytes, 1)
  for (let i = 0; i < network.liker.length && network.minute[i]! < until; i++) {
    const liker = network.liker[i]!
    hear(state, {
      liker: didOf(liker),
      post: keyOf(network, network.post[i]!),
      timeMs: timeOf(network.minute[i]!),
      isMembers: members.has(liker),
    })
  }
  return state
}

export type OwnLikes = ReadonlyMap<number, readonly { post: number; minute: number }[]>

/** Pages of 50 posts by reader. @param own - each reader's likes, newest first */
export function pagesOf(
  network: Network,
  state: State,
  { own, tuning = TUNING, limit = 50 }: { own: OwnLikes; tuning?: Tuning; limit?: number },
): Map<number, number[]> {
  const scratch = createScratch(tuning)
  const pages = new Map<number, number[]>()
  for (const [reader, likes] of own) {
    const liked: Liked[] = likes.slice(0, 2000).map(({ post, minute }) => ({
      post: findPost(state, keyOf(network, post)),
      timeMs: timeOf(minute),
    }))
    const slot = findUser(state, fingerprintOf(state, didOf(reader)))
    const found = recommend(state, scratch, { liked, limit, reader: slot, tuning })
    pages.set(
      reader,
      found.map(({ post }) => numberOf(keyOfPost(state, post))),
    )
  }
  return pages
}
