// Memoises views. The same author, parent or root appears many times on a page, so its view is built once per
// state. Views that are the same for every viewer are built once per shown object, which hydration caches
// across requests. Views are immutable.

import { isMakingPieces } from './slots.ts'

/** Memoises `view` by id, for the lifetime of the state. */
export function oncePerState<State extends { forEveryone: unknown }, View>(
  view: (state: State, id: number) => View,
): (state: State, id: number) => View {
  const memos = new WeakMap<State, Map<number, View>>()
  return (state, id) => {
    // Not memoised, since the reads of each view for everyone are watched.
    if (state.forEveryone) return view(state, id)
    const memo = memos.get(state) ?? new Map<number, View>()
    memos.set(state, memo)
    if (!memo.has(id)) memo.set(id, view(state, id))
    return memo.get(id)!
  }
}

/** Memoises `view` by object; the further arguments must always be the same for an object. */
export function oncePerObject<Item extends object, Others extends unknown[], View>(
  view: (item: Item, ...others: Others) => View,
): (item: Item, ...others: Others) => View {
  const memo = new WeakMap<Item, View>()
  return (item, ...others) => {
    if (isMakingPieces()) return view(item, ...others)
    const known = memo.get(item)
    if (known !== undefined) return known
    const made = view(item, ...others)
    memo.set(item, made)
    return made
  }
}
