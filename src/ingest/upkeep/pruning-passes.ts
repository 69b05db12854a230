// Schedules the search for old records: a pass over all posts now and then, a slice at a time, and another
// one as soon as the retention time is shorter than in the last pass.

import type { Logger } from '../../base/obs/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { Pruned, PruneLimits } from '../indexing/retention/prune-old.ts'
import type { DiskGuard } from './disk/disk-guard.ts'

/** Between two passes while there is room. */
const PASS_EVERY_MS = 6 * HOUR_MS
/** While the disk is tight. */
const TIGHT_PASS_EVERY_MS = 10 * MINUTE_MS

type Cached = ReturnType<DiskGuard['retention']>
type Pass = Cached & Record<'posts' | 'likes' | 'reposts', number>

type PruningPasses = {
  /** @returns whether the pass continues. */
  next(): boolean
}

export function createPruningPasses(options: {
  guard: Pick<DiskGuard, 'retention' | 'passDone' | 'isTight'>
  /** Prunes the next slice. */
  prune: (limits: PruneLimits) => Pruned
  now: () => number
  log: Pick<Logger, 'info'>
}): PruningPasses {
  const { guard, prune, now, log } = options
  let pass: Pass | undefined
  let last: (Cached & { overAt: number }) | undefined

  function passDue(): Pass | undefined {
    const retention = guard.retention()
    const { strangersMs, neighboursMs } = retention
    if (!Number.isFinite(strangersMs) && !Number.isFinite(neighboursMs)) return undefined
    const everyMs = guard.isTight() ? TIGHT_PASS_EVERY_MS : PASS_EVERY_MS
    const isNarrower = !last || strangersMs < last.strangersMs || neighboursMs < last.neighboursMs
    if (!isNarrower && now() - last!.overAt < everyMs) return undefined
    return { ...retention, posts: 0, likes: 0, reposts: 0 }
  }

  function endPass({ posts, likes, reposts, strangersMs, neighboursMs }: Pass): void {
    last = { strangersMs, neighboursMs, overAt: now() }
    pass = undefined
    guard.passDone(strangersMs)
    if (posts + likes + reposts > 0) log.info({ posts, likes, reposts }, 'old records pruned')
  }

  return {
    next() {
      pass ??= passDue()
      if (!pass) return false
      const slice = prune({
        strangersBefore: now() - pass.strangersMs,
        neighboursBefore: now() - pass.neighboursMs,
      })
      for (const what of ['posts', 'likes', 'reposts'] as const) pass[what] += slice[what]
      if (slice.isPassOver) endPass(pass)
      return !slice.isPassOver
    },
  }
}
