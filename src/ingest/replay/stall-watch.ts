// Decides when a replay ends: because it has reached the main stream, or else because of silence, missing
// hosts or the time limit.

import type { StreamStatus } from '@slipstream/jetstream'
import type { CatchUp } from './catch-up.ts'
import type { ReplayLimits } from './limits.ts'

/**
 * `met`: nothing is missing. `silent`: the host fell silent, and events may be missing. `failed`:
 * no host is available.
 */
export type Verdict = 'met' | 'silent' | 'failed'

export type StallWatch = {
  /** Time of the last event, or of the last moment when none could be taken. */
  heardAtMs(): number
  /** An event arrived. */
  heard(nowMs: number): void
  /** No event could be taken for this long: the host was not silent. */
  heldUp(nowMs: number, forMs: number): void
  /**
   * Called every `lookEveryMs`. A look that comes late shows that this thread stood still and could
   * not have heard anything; nor does it while it applies a batch.
   */
  looked(nowMs: number, isApplying: boolean): void
  /**
   * Returns undefined while the replay continues.
   * @param catchUp - given once the main stream's position is known.
   */
  verdict(
    nowMs: number,
    status: Pick<StreamStatus, 'connected' | 'paused'>,
    catchUp: CatchUp | undefined,
  ): Verdict | undefined
}

/**
 * `quietMs`: silence after which the replay counts as caught up, if the main stream has never
 * received anything.
 */
export function createStallWatch(options: {
  limits: Pick<ReplayLimits, 'silentMs' | 'giveUpMs' | 'longestMs'>
  quietMs: number | undefined
  startedAtMs: number
  lookEveryMs: number
}): StallWatch {
  const { limits, quietMs = Infinity, startedAtMs, lookEveryMs } = options
  let heardAtMs = startedAtMs
  let lookedAtMs = startedAtMs
  let heldUpMs = 0
  let wasConnected = false
  return {
    heardAtMs: () => heardAtMs,
    heard(nowMs) {
      heardAtMs = nowMs
    },
    heldUp(nowMs, forMs) {
      heardAtMs = nowMs
      heldUpMs += forMs
    },
    looked(nowMs, isApplying) {
      const lateMs = Math.max(0, nowMs - lookedAtMs - lookEveryMs)
      heardAtMs = isApplying ? nowMs : Math.min(nowMs, heardAtMs + lateMs)
      lookedAtMs = nowMs
    },
    verdict(nowMs, { connected, paused }, catchUp) {
      if (connected !== wasConnected || paused) heardAtMs = nowMs
      wasConnected = connected
      const silentMs = nowMs - heardAtMs
      const isPresent = connected && silentMs >= quietMs
      if (isPresent || catchUp?.isOver(silentMs)) return 'met'
      if (connected && silentMs >= limits.silentMs) return 'silent'
      const isHopeless = !connected && silentMs >= limits.giveUpMs
      const workedMs = nowMs - startedAtMs - heldUpMs
      return isHopeless || workedMs >= limits.longestMs ? 'failed' : undefined
    },
  }
}
