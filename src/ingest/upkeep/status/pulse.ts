// The rates behind the counters, taken once a second: events and requests in each of the last seconds, and
// how long answers took.

import { watchLoopLag } from '../../../base/obs/loop-lag.ts'
import {
  quantileOf,
  type RequestTotals,
  readRequestTotals,
} from '../../../base/obs/request-counters.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Pulse } from '../../../bridge/messages.ts'
import { type DiskUse, readDiskUse } from '../../../data/store/files/disk-use.ts'

/** Seconds over which rates are averaged: fewer make them jump, more make them late. */
const WINDOW = 10
const DISK_EVERY = 10
const HOUR_STEP_MS = MINUTE_MS
const HOUR_STEPS = 60

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
  /** One a minute. */
  const hour: Look[] = []
  let disk: DiskUse | undefined
  let taken = 0
  return {
    take(received) {
      if (taken++ % DISK_EVERY === 0) disk = readDiskUse(dataDir)
      const look = { at: now(), received, requests: readRequestTotals(requests) }
      looks.push(look)
      if (looks.length > WINDOW + 1) looks.shift()
      if (look.at - (hour.at(-1)?.at ?? -Infinity) >= HOUR_STEP_MS) hour.push(look)
      if (hour.length > HOUR_STEPS + 1) hour.shift()
      return {
        ...ratesBetween(looks[0]!, look),
        hourAnswerMs: medianBetween(hour[0]!, look),
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
  return {
    eventsPerSecond: (last.received - first.received) / seconds,
    requestsPerSecond: (last.requests.requests - first.requests.requests) / seconds,
    failuresPerSecond: (last.requests.failures - first.requests.failures) / seconds,
    answerMs: { p50: medianBetween(first, last), p99: quantileBetween(first, last, 0.99) },
  }
}

function medianBetween(first: Look, last: Look): number | undefined {
  return quantileBetween(first, last, 0.5)
}

/** Milliseconds; undefined if there were no requests. */
function quantileBetween(first: Look, last: Look, share: number): number | undefined {
  const durations = last.requests.durations.map((n, i) => n - first.requests.durations[i]!)
  const value = quantileOf(durations, share)
  return value === undefined ? undefined : value * 1000
}
