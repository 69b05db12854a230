// Which items a timeline takes of an account that follows more than anyone can read.
//
// The rule is Bluesky's (jazco.dev, "When imperfect systems are good", 2025): keep each item with
// probability min(limit / follows, 1), one draw for each (item, follower). Here the draw is a hash
// of the two, not a roll of dice: a timeline rebuilt from rows, or read past its ring's end, is then
// the timeline that fan-out wrote.

import type { FollowGraphReader } from '../graph/types.ts'

/** A number in [0, 1) for each pair. Must not change between calls if timelines are to be rebuilt alike. */
export type Draw = (item: number, follower: number) => number

/** Whether `owner`'s timeline takes `item`. */
export type Keeps = (owner: number, item: number) => boolean

/** The share of items kept by somebody with so many follows. */
export function keepShare(limit: number, follows: number): number {
  return follows <= limit ? 1 : limit / follows
}

export function createKeeps(options: {
  graph: Pick<FollowGraphReader, 'followsCount'>
  limit: number
  draw?: Draw
}): Keeps {
  const { graph, limit, draw = hashDraw } = options
  return (owner, item) => {
    const share = keepShare(limit, graph.followsCount(owner))
    return share === 1 || draw(item, owner) < share
  }
}

/**
 * Two rounds of the 32-bit finaliser by Chris Wellons ("lowbias32"), one for each number, so that
 * neighbours in either are independent.
 */
export function hashDraw(item: number, follower: number): number {
  return (mix(mix(item) + Math.imul(follower, 0x9e3779b9)) >>> 0) / 2 ** 32
}

function mix(value: number): number {
  let x = value | 0
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97)
  return x ^ (x >>> 15)
}
