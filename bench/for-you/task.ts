// The question that all contestants answer: what will these readers like in the next six hours, of the posts that
// are there now and that they have not liked?

import { createRandom } from '../../test/support/random.ts'
import type { OwnLikes } from './engine-run.ts'
import type { Network } from './network.ts'
import type { HeldOut } from './scores.ts'

export type Task = {
  network: Network
  members: ReadonlySet<number>
  /** The moment of the question, in minutes. */
  until: number
  own: OwnLikes
  held: HeldOut
}

const HELD_OUT_MINUTES = 6 * 60
const FEWEST_LIKES = 5

/** @param share - of the people, how many are members */
export function createTask(network: Network, share: number, seed: number): Task {
  const random = createRandom(seed)
  const members = new Set<number>()
  while (members.size < network.people * share) members.add(random.below(network.people))
  const until = network.endMinute - HELD_OUT_MINUTES
  const own = new Map<number, { post: number; minute: number }[]>()
  const held = new Map<number, Set<number>>()
  for (let i = network.liker.length - 1; i >= 0; i--) {
    const [reader, post, minute] = [network.liker[i]!, network.post[i]!, network.minute[i]!]
    if (!members.has(reader)) continue
    if (minute < until) listOf(own, reader).push({ post, minute })
    else if (network.postMinute[post]! < until) setOf(held, reader).add(post)
  }
  for (const reader of members) {
    if ((own.get(reader)?.length ?? 0) >= FEWEST_LIKES && held.has(reader)) continue
    own.delete(reader)
    held.delete(reader)
  }
  return { network, members, until, own, held }
}

function listOf<Value>(map: Map<number, Value[]>, key: number): Value[] {
  const list = map.get(key) ?? []
  map.set(key, list)
  return list
}

function setOf(map: Map<number, Set<number>>, key: number): Set<number> {
  const set = map.get(key) ?? new Set()
  map.set(key, set)
  return set
}
