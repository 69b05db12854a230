// The same author, parent or root stands in many places of a page: its view is made once a state.
// What is the same for every viewer is made once for the object that it shows, which hydration keeps
// from request to request. Views are never changed once made.

import { isMakingPieces } from './slots.ts'

/** Remembers what `view` gave for each id, for as long as the state lives. */
export function oncePerState<State extends { forEveryone: unknown }, View>(
  view: (state: State, id: number) => View,
): (state: State, id: number) => View {
  const memos = new WeakMap<State, Map<number, View>>()
  return (state, id) => {
    // What such a view reads is watched, each time.
    if (state.forEveryone) return view(state, id)
    const memo = memos.get(state) ?? new Map<number, View>()
    memos.set(state, memo)
    if (!memo.has(id)) memo.set(id, view(state, id))
    return memo.get(id)!
  }
}

/** Remembers what `view` gave for each object, which always has to come with the same further ones. */
export function oncePerObject<Shown extends object, Others extends unknown[], View>(
  view: (shown: Shown, ...others: Others) => View,
): (shown: Shown, ...others: Others) => View {
  const memo = new WeakMap<Shown, View>()
  return (shown, ...others) => {
    if (isMakingPieces()) return view(shown, ...others)
    const known = memo.get(shown)
    if (known !== undefined) return known
    const made = view(shown, ...others)
    memo.set(shown, made)
    return made
  }
}
