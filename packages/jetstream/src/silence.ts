// Tells a stuck host from a quiet one. The unfiltered stream has events every second; a connection that
// answers pings but brings nothing for a minute is closed like a dead one, so that the next host gets its
// turn. If that one is silent too, the network itself is quiet, as a small private one may be: then the wait
// grows each time.

import type { ConsumerLimits } from './limits.ts'

export type SilenceWatch = {
  /** A connection was opened. @param giveUp - ends it as dead. */
  watch(giveUp: (message: string) => void): void
  /** The connection ended. */
  stop(): void
}

const GROWTH = 2

export function createSilenceWatch(
  limits: Pick<ConsumerLimits, 'silentAfterMs' | 'maxSilentAfterMs'>,
  stream: {
    received: () => number
    /** Frames that could not be used, by reason. */
    dropped?: () => Readonly<Record<string, number>>
    /** Whether events must arrive: the stream is unfiltered, and we read as fast as they arrive. */
    isExpected: () => boolean
  },
): SilenceWatch {
  let waitMs = limits.silentAfterMs
  let heard = 0
  let lost: Readonly<Record<string, number>> = {}
  let timer: ReturnType<typeof setTimeout> | undefined

  function look(giveUp: (message: string) => void): void {
    const isSilent = stream.received() === heard && stream.isExpected()
    if (stream.received() !== heard) waitMs = limits.silentAfterMs
    if (!isSilent) return arm(giveUp)
    const seconds = Math.round(waitMs / 1000)
    waitMs = Math.min(waitMs * GROWTH, limits.maxSilentAfterMs)
    giveUp(
      `${wordsFor(reasonsSince(lost, stream.dropped?.()))} came in ${seconds} s, though the whole network is subscribed`,
    )
  }

  function arm(giveUp: (message: string) => void): void {
    clearTimeout(timer)
    heard = stream.received()
    lost = { ...stream.dropped?.() }
    timer = setTimeout(() => look(giveUp), waitMs)
  }

  return { watch: arm, stop: () => clearTimeout(timer) }
}

/** Why frames were unusable meanwhile. */
function reasonsSince(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>> = {},
): string[] {
  return Object.keys(now).filter((reason) => now[reason]! > (before[reason] ?? 0))
}

function wordsFor(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'nothing'
  return `only frames that can’t be read (${reasons.join(', ')})`
}
