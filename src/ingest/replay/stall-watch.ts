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

export type StallWatch = {
  /** When something came last, or nothing could be taken. */
  heardAtMs(): number
  /** Something came. */
  heard(nowMs: number): void
  /** For so long nothing could be taken: the host was not silent. */
  heldUp(nowMs: number, forMs: number): void
  /** undefined: it goes on. @param catchUp - as soon as it is known where the main stream is. */
  verdict(
    nowMs: number,
    status: Pick<StreamStatus, 'connected' | 'paused'>,
    catchUp: CatchUp | undefined,
  ): Verdict | undefined
}

/** `quietMs`: after so much silence it is caught up, where the main stream has never received anything. */
export function createStallWatch(options: {
  limits: Pick<ReplayLimits, 'silentMs' | 'giveUpMs' | 'longestMs'>
  quietMs: number | undefined
  startedAtMs: number
}): StallWatch {
  const { limits, quietMs = Infinity, startedAtMs } = options
  let heardAtMs = startedAtMs
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
    verdict(nowMs, { connected, paused }, catchUp) {
      if (connected !== wasConnected || paused) heardAtMs = nowMs
      wasConnected = connected
      const silentMs = nowMs - heardAtMs
      const isPresent = connected && silentMs >= quietMs
      if (isPresent || catchUp?.isOver(nowMs)) return 'met'
      if (connected && silentMs >= limits.silentMs) return 'silent'
      const isHopeless = !connected && silentMs >= limits.giveUpMs
      const workedMs = nowMs - startedAtMs - heldUpMs
      return isHopeless || workedMs >= limits.longestMs ? 'failed' : undefined
    },
  }
}
