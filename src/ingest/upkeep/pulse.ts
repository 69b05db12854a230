// The rates behind the counters, taken once a second: events and requests in each of the last seconds, and
// how long answers took.

import { watchLoopLag } from '../../base/obs/loop-lag.ts'
import {
  quantileOf,
  type RequestTotals,
  readRequestTotals,
} from '../../base/obs/request-counters.ts'
import type { Pulse } from '../../bridge/messages.ts'
import { type DiskUse, readDiskUse } from './disk-use.ts'

/** Seconds over which rates are averaged: fewer make them jump, more make them late. */
const WINDOW = 10
const DISK_EVERY = 10

type Look = { at: number; received: number; requests: RequestTotals }

export type PulseTaker = {
  /** @param received - events so far */
  take(received: number): Pulse
  stop(): void
}

export function createPulse(options: {
  requests: SharedArrayBuffer
  dataDir: string
  now: () => number
}): PulseTaker {
  const { requests, dataDir, now } = options
  const lag = watchLoopLag()
  const looks: Look[] = []
  let disk: DiskUse | undefined
  let taken = 0
  return {
    take(received) {
      if (taken++ % DISK_EVERY === 0) disk = readDiskUse(dataDir)
      const look = { at: now(), received, requests: readRequestTotals(requests) }
      looks.push(look)
      if (looks.length > WINDOW + 1) looks.shift()
      return {
        ...ratesBetween(looks[0]!, look),
        memoryBytes: process.memoryUsage.rss(),
        loopLagMs: lag.take() * 1000,
        ...disk!,
      }
    },
    stop: () => lag.stop(),
  }
}

function ratesBetween(first: Look, last: Look) {
  const seconds = Math.max((last.at - first.at) / 1000, 1)
  const durations = last.requests.durations.map((n, i) => n - first.requests.durations[i]!)
  const milliseconds = (share: number) => {
    const value = quantileOf(durations, share)
    return value === undefined ? undefined : value * 1000
  }
  return {
    eventsPerSecond: (last.received - first.received) / seconds,
    requestsPerSecond: (last.requests.requests - first.requests.requests) / seconds,
    failuresPerSecond: (last.requests.failures - first.requests.failures) / seconds,
    answerMs: { p50: milliseconds(0.5), p99: milliseconds(0.99) },
  }
}
