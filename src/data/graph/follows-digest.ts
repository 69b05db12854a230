// Whom an account follows, as one number that is the same on every node where the graph says the same.

import { mix } from '../../base/util/hash.ts'
import type { ActorReader, FollowGraphReader } from './types.ts'

const PAGE = 8_192
const COUNTED = 2 ** 20

/** Filled and emptied within one call. */
const page = new Uint32Array(PAGE)

/** Below 2^52. */
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
