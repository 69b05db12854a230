// What happened at each server second by second, for lines. Bounded: when it is full, two neighbours become one.

import type { Quantiles } from '../../bench/load/histogram.ts'
import type { Usage } from './usage.ts'

/** Of one server in one stretch; rates are per second, and undefined is unknown. */
export type Moment = {
  requests: number
  failed: number
  /** Milliseconds of requests that succeeded; undefined if none did. */
  p50: number | undefined
  p99: number | undefined
  writes: number | undefined
  leftOut: number | undefined
  memoryMb: number | undefined
  /** Cores in use. */
  cores: number | undefined
}

/** `servers` in the order of their names. */
export type Point = { seconds: number; servers: Moment[] }

export type Measured = {
  read: Pick<Quantiles, 'count' | 'p50' | 'p99'>
  failed: number
  /** Before and after the stretch. */
  usage: readonly [Usage | undefined, Usage | undefined]
}

const MOST_POINTS = 1_200

export function momentOf(
  { read, failed, usage: [before, after] }: Measured,
  seconds: number,
): Moment {
  const rate = (of: (usage: Usage) => number | undefined): number | undefined => {
    const [from, to] = [before && of(before), after && of(after)]
    return from === undefined || to === undefined || to < from ? undefined : (to - from) / seconds
  }
  const isRead = read.count > 0
  return {
    requests: (read.count + failed) / seconds,
    failed: failed / seconds,
    p50: isRead ? read.p50 : undefined,
    p99: isRead ? read.p99 : undefined,
    writes: rate(({ writes }) => writes),
    leftOut: rate(({ leftOut }) => leftOut),
    memoryMb: after?.memoryMb,
    cores: rate(({ cpuSeconds }) => cpuSeconds),
  }
}

export type History = { add(point: Point): void; points(): readonly Point[] }

export function createHistory(most = MOST_POINTS): History {
  let points: Point[] = []
  return {
    add(point) {
      points.push(point)
      if (points.length > most) points = halved(points)
    },
    points: () => points,
  }
}

/** Means of neighbours, but the highest of their p99, so that no peak disappears. */
function halved(points: readonly Point[]): Point[] {
  return points.flatMap((point, i) => {
    if (i % 2 === 1) return []
    const next = points[i + 1]
    if (!next) return [point]
    const servers = point.servers.map((server, at) => merged(server, next.servers[at]!))
    return [{ seconds: next.seconds, servers }]
  })
}

function merged(moment: Moment, other: Moment): Moment {
  const both = (key: keyof Moment) =>
    [moment[key], other[key]].filter((value) => value !== undefined)
  const mean = (key: keyof Moment): number | undefined => {
    const values = both(key)
    return values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0) / values.length
  }
  const peaks = both('p99')
  return {
    requests: mean('requests') ?? 0,
    failed: mean('failed') ?? 0,
    p50: mean('p50'),
    p99: peaks.length === 0 ? undefined : Math.max(...peaks),
    writes: mean('writes'),
    leftOut: mean('leftOut'),
    memoryMb: mean('memoryMb'),
    cores: mean('cores'),
  }
}
