// Joins the states of a large thread's parts, which are hydrated one after another so that none holds the
// thread for long. Each part has the anchor, so what decides about all posts is in every one of them.

import type { ThreadState } from './thread-types.ts'
import type { BlockedPairs } from './types.ts'

/** Adds `more` to `state`: a thing that is in both was read for both alike. */
export function joinThread(state: ThreadState, more: ThreadState): void {
  const parts = state as unknown as Record<string, unknown>
  for (const [name, added] of Object.entries(more)) {
    const known = parts[name]
    if (known instanceof Map) addEntries(known, added as Map<unknown, unknown>)
    else if (known instanceof Set) addAll(known, added as Set<unknown>)
  }
  state.tagged = {
    aside: new Set([...state.tagged.aside, ...more.tagged.aside]),
    bumpedDown: new Set([...state.tagged.bumpedDown, ...more.tagged.bumpedDown]),
  }
  state.blocks = either(state.blocks, more.blocks)
}

function addEntries(known: Map<unknown, unknown>, added: Map<unknown, unknown>): void {
  for (const [key, value] of added) known.set(key, value)
}

function addAll(known: Set<unknown>, added: Set<unknown>): void {
  for (const value of added) known.add(value)
}

function either(item: BlockedPairs, other: BlockedPairs): BlockedPairs {
  return {
    has: (a, b) => item.has(a, b) || other.has(a, b),
    isDisputed: (a, b) => item.isDisputed(a, b) || other.isDisputed(a, b),
  }
}
