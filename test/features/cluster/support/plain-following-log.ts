// A plain in-memory twin of members' timelines on an engine, which can be made unavailable.

import { EngineUnavailableError } from '../../../../src/features/cluster/engine/connect.ts'
import type { FollowingEpochs } from '../../../../src/features/cluster/engine/following-epochs.ts'
import type {
  FollowingLog,
  LoggedEntry,
} from '../../../../src/features/cluster/engine/following-log.ts'

type Row = LoggedEntry & { epoch: number; flush: number }

export function createPlainFollowing(base = 0) {
  const logs = new Map<string, Row[]>()
  const buckets = new Map<number, { current: number; position: number | undefined }>()
  const flushes = new Map<number, Map<number, number>>()
  const state = { isAway: false, reads: 0 }

  function feel(): void {
    if (state.isAway) throw new EngineUnavailableError('away')
  }
  const committedOf = (bucket: number) => new Map(flushes.get(bucket))

  const following: FollowingLog = {
    base,
    async put({ member, epoch, flush, number, numbers, items, follows }) {
      feel()
      const rows = items.map(({ uri, at }, i) => {
        const named = { number: numbers?.[i] ?? number + i, uri, at, epoch, flush }
        return follows === undefined ? named : { ...named, follows }
      })
      logs.set(member, [...(logs.get(member) ?? []), ...rows])
    },
    async read({ member, at, isForward, limit }, committed) {
      feel()
      state.reads++
      const counting = (logs.get(member) ?? []).filter(
        ({ number, epoch, flush }) =>
          flush <= (committed.get(epoch) ?? 0) && (isForward ? number > at : number < at),
      )
      if (!isForward) counting.reverse()
      return { entries: counting.slice(0, limit), isEnd: counting.length <= limit }
    },
  }
  const epochs: FollowingEpochs = {
    async begin(wanted) {
      feel()
      for (const [bucket, epoch] of wanted) {
        buckets.set(bucket, { position: buckets.get(bucket)?.position, current: epoch })
      }
      const found = [...wanted.keys()].map((bucket) => [bucket, buckets.get(bucket)!] as const)
      return new Map(found)
    },
    async commit(done) {
      feel()
      for (const { bucket, epoch, flush, position } of done) {
        const known = buckets.get(bucket)!
        if (known.current !== epoch) return false
        known.position = position ?? known.position
        flushes.set(bucket, committedOf(bucket).set(epoch, flush))
      }
      return true
    },
    current: async (some) =>
      new Map(some.map((bucket) => [bucket, buckets.get(bucket)?.current ?? 0])),
    committed: async (bucket) => committedOf(bucket),
    async reached(bucket) {
      feel()
      return { committed: committedOf(bucket), position: buckets.get(bucket)?.position }
    },
  }
  return {
    following,
    epochs,
    state,
    /** Number of buckets that have a writer. */
    begun: () => buckets.size,
    isThere: (uri: string) =>
      [...logs.values()].some((rows) => rows.some((row) => row.uri === uri)),
  }
}
