// The same author, parent or root stands in many places of a page: its view is made once a state.
// Views are never changed once made.

/** Remembers what `view` gave for each id, for as long as the state lives. */
export function oncePerState<State extends object, View>(
  view: (state: State, id: number) => View,
): (state: State, id: number) => View {
  const memos = new WeakMap<State, Map<number, View>>()
  return (state, id) => {
    const memo = memos.get(state) ?? new Map<number, View>()
    memos.set(state, memo)
    if (!memo.has(id)) memo.set(id, view(state, id))
    return memo.get(id)!
  }
}
