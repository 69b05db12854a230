// Bit rates for a master playlist (RFC 8216 §4.3.4.2): the peak of any segment and the average, with or
// without a trailer.

import type { CutFile } from '../cut-file.ts'
import type { Variant } from './playlist.ts'

export type Rates = { bandwidth: number; averageBandwidth: number; seconds: number }

type Length = CutFile['index']['segments'][number]

/** Shorter segments are rated together with the one before. */
const MIN_RATED_SECONDS = 0.5

/** In bits per second. */
export function ratesOf(segments: readonly Length[]): Rates {
  const all = segments.reduce(together, { seconds: 0, bytes: 0 })
  const average = bitsASecond(all)
  const peaks = segments.map((segment, i) =>
    segment.seconds < MIN_RATED_SECONDS
      ? peakOfShort(segment, segments[i - 1])
      : bitsASecond(segment),
  )
  return {
    bandwidth: peaks.reduce((most, value) => Math.max(most, value), average),
    averageBandwidth: average,
    seconds: all.seconds,
  }
}

/** Returns a quality's rates including a trailer. */
export function withTail<V extends Variant>(variant: V, tail: Rates): V {
  const { bandwidth, averageBandwidth: average, seconds } = variant
  const bits = (average ?? 0) * (seconds ?? 0) + tail.averageBandwidth * tail.seconds
  const isKnown = average !== undefined && seconds !== undefined
  return {
    ...variant,
    bandwidth: Math.max(bandwidth, tail.bandwidth),
    averageBandwidth: isKnown ? Math.round(bits / (seconds + tail.seconds)) : undefined,
  }
}

function peakOfShort(item: Length, before: Length | undefined): number {
  return before ? bitsASecond(together(before, item)) : 0
}

function together(item: Length, other: Length): Length {
  return { seconds: item.seconds + other.seconds, bytes: item.bytes + other.bytes }
}

function bitsASecond({ seconds, bytes }: Length): number {
  return Math.max(1, Math.ceil((bytes * 8) / Math.max(seconds, MIN_RATED_SECONDS)))
}
