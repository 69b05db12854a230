// Tells a host that is stuck from a quiet one. Where the whole network is listened to, something comes every
// second; a connection that answers pings and brings nothing for a minute is given up like a dead one, so that
// the next host gets its turn. Where that brings nothing either, the network itself is quiet, as a small
// one of one's own may be: then it is waited for longer each time.

import type { ConsumerLimits } from './limits.ts'

export type SilenceWatch = {
  /** A connection stands. @param giveUp - ends it as one that is dead. */
  watch(giveUp: (message: string) => void): void
  /** It ended. */
  stop(): void
}

const GROWTH = 2

export function createSilenceWatch(
  limits: Pick<ConsumerLimits, 'silentAfterMs' | 'maxSilentAfterMs'>,
  stream: {
    received: () => number
    /** Whether something has to come: nothing is filtered, and we read as fast as it comes. */
    isExpected: () => boolean
  },
): SilenceWatch {
  let waitMs = limits.silentAfterMs
  let heard = 0
  let timer: NodeJS.Timeout | undefined

  function look(giveUp: (message: string) => void): void {
    const isSilent = stream.received() === heard && stream.isExpected()
    if (stream.received() !== heard) waitMs = limits.silentAfterMs
    if (!isSilent) return arm(giveUp)
    const seconds = Math.round(waitMs / 1000)
    waitMs = Math.min(waitMs * GROWTH, limits.maxSilentAfterMs)
    giveUp(`nothing came in ${seconds} s, though the whole network is listened to`)
  }

  function arm(giveUp: (message: string) => void): void {
    clearTimeout(timer)
    heard = stream.received()
    timer = setTimeout(() => look(giveUp), waitMs)
  }

  return { watch: arm, stop: () => clearTimeout(timer) }
}
