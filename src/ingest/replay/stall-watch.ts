// Watches over a replay: whether it has met the main stream, or else whether silence, absence or time say
// that it ends without.

import type { StreamStatus } from '../../sources/jetstream/consumer-options.ts'
import type { CatchUp } from './catch-up.ts'
import type { ReplayLimits } from './limits.ts'

/**
 * `met`: nothing is missing. `silent`: the host said nothing any more, and something may be. `failed`: no
 * host to be had.
 */
export type Verdict = 'met' | 'silent' | 'failed'

type StallWatch = {
  /** Something came. */
  heard(nowMs: number): void
  /** For so long nothing could be taken: that is nobody's silence. */
  heldUp(nowMs: number, forMs: number): void
  /** undefined: it goes on. */
  verdict(nowMs: number, status: Pick<StreamStatus, 'connected' | 'paused'>): Verdict | undefined
}

/** `catchUp` undefined: the main stream has never received anything, so silence is the present. */
export function createStallWatch(options: {
  limits: ReplayLimits
  catchUp: CatchUp | undefined
  startedAtMs: number
}): StallWatch {
  const { limits, catchUp, startedAtMs } = options
  let heardAtMs = startedAtMs
  let heldUpMs = 0
  let wasConnected = false
  return {
    heard(nowMs) {
      heardAtMs = nowMs
    },
    heldUp(nowMs, forMs) {
      heardAtMs = nowMs
      heldUpMs += forMs
    },
    verdict(nowMs, { connected, paused }) {
      if (connected !== wasConnected || paused) heardAtMs = nowMs
      wasConnected = connected
      const silentMs = nowMs - heardAtMs
      const isPresent = !catchUp && connected && silentMs >= limits.quietMs
      if (isPresent || catchUp?.isOver(nowMs)) return 'met'
      if (connected && silentMs >= limits.silentMs) return 'silent'
      const isHopeless = !connected && silentMs >= limits.giveUpMs
      const workedMs = nowMs - startedAtMs - heldUpMs
      return isHopeless || workedMs >= limits.longestMs ? 'failed' : undefined
    },
  }
}
