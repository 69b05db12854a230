// What was not pushed for now, in members' quiet hours or after many pushes: later, a device hears how much there was,
// unless the member has looked meanwhile. Held in memory: a restart forgets it.

const MAX_MEMBERS = 10_000

export type HeldBack = {
  add(uid: number, count: number): void
  members(): number[]
  /** Forgets and returns those whose wait is over. */
  ended(isWaiting: (uid: number) => boolean): { uid: number; count: number }[]
}

export function createHeldBack(): HeldBack {
  const counts = new Map<number, number>()
  return {
    add(uid, count) {
      const before = counts.get(uid)
      if (before === undefined && counts.size >= MAX_MEMBERS) return
      counts.set(uid, (before ?? 0) + count)
    },
    members: () => [...counts.keys()],
    ended(isWaiting) {
      const over = [...counts].filter(([uid]) => !isWaiting(uid))
      for (const [uid] of over) counts.delete(uid)
      return over.map(([uid, count]) => ({ uid, count }))
    },
  }
}
