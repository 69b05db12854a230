// Decides which items enter the timeline of an account that follows more accounts than anyone can read.
//
// The rule is Bluesky's (jazco.dev, "When imperfect systems are good", 2025): keep each item with probability
// min(limit / follows, 1), one draw per (item, follower). The draw is not random but a hash of names that are
// the same on every server: two DIDs and a record key.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import { fnv1a, mix } from '../../base/util/hash.ts'
import type { ActorReader } from './types.ts'

/**
 * A number in [0, 1) for each pair. Must be stable between calls, so that a rebuilt timeline is the
 * same, and across servers, so that they hold the same timelines.
 *
 * @param item - its `itemHash` where rows were read, its id where only ids are at hand
 */
export type Draw = (item: number, follower: number) => number

/** Whether `owner`'s timeline takes `item`, identified as in `Draw`. */
export type IsDrawn = (owner: number, item: number) => boolean

/** Returns the share of items that a timeline with this many follows keeps; 1 if the limit is 0. */
export function keepShare(limit: number, follows: number): number {
  return limit === 0 || follows <= limit ? 1 : limit / follows
}

export function createIsDrawn(options: {
  graph: Pick<FollowGraphReader, 'followsCount'>
  limit: number
  draw: Draw
}): IsDrawn {
  const { graph, limit, draw } = options
  return (owner, item) => {
    const share = keepShare(limit, graph.followsCount(owner))
    return share === 1 || draw(item, owner) < share
  }
}

/** For callers that have the items' hashes at hand. */
export function drawByHash(actors: Pick<ActorReader, 'hashOf'>): Draw {
  return (hash, follower) => hashDraw(hash, actors.hashOf(follower))
}

/**
 * Two rounds of the 32-bit finaliser by Chris Wellons ("lowbias32"), one for each number, so that
 * neighbouring values of either are independent.
 */
export function hashDraw(itemHash: number, followerHash: number): number {
  return (mix(mix(itemHash) + Math.imul(followerHash, 0x9e3779b9)) >>> 0) / 2 ** 32
}

const POST = 0x706f7374
const REPOST = 0x7265706f

/**
 * @param originatorHash - `ActorReader.hashOf` the author or the reposter, the account that owns
 * `rkey`
 */
export function itemHash(originatorHash: number, rkey: PackedRkey, isRepost: boolean): number {
  return mix(mix(originatorHash ^ (isRepost ? REPOST : POST)) ^ hashKey(rkey))
}

function hashKey(rkey: PackedRkey): number {
  if (typeof rkey !== 'string') return mix(mix(rkey.readInt32BE(0)) ^ rkey.readInt32BE(4))
  return mix(fnv1a(rkey))
}
