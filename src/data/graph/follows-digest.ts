// Digests an account's follows into one number, equal on every node where the graph is equal.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { mix } from '../../base/util/hash.ts'
import type { ActorReader } from './types.ts'

const PAGE = 8_192
const COUNTED = 2 ** 20

/** Used only within one call. */
const page = new Uint32Array(PAGE)

/** Returns a number below 2^52. */
export function followsDigest(
  graph: Pick<FollowGraphReader, 'follows'>,
  actors: Pick<ActorReader, 'hashOf'>,
  uid: number,
): number {
  let sum = 0
  let all = 0
  for (let after = 0, count = PAGE; count === PAGE; after = page[count - 1] ?? 0) {
    count = graph.follows(uid, after, page)
    all += count
    for (let i = 0; i < count; i++) sum = (sum + mix(actors.hashOf(page[i]!))) | 0
  }
  return (sum >>> 0) + (all % COUNTED) * 2 ** 32
}
