// What the load generator is told, and what it reports: messages between two processes.

import type { Quantiles } from './histogram.ts'

export type LoadPlan = {
  port: number
  /** Whole requests, ready to be sent; they are taken in turn, from the first again after the last. */
  requests: Uint8Array[]
  connections: number
  warmupSeconds: number
  seconds: number
  load: ClosedLoop | OpenLoop
}

/** Each connection asks again as soon as it is answered: how much the server can do. */
export type ClosedLoop = { kind: 'closed' }

/**
 * Requests start at their time whether or not earlier ones are answered, and their latency counts from
 * that time: what users feel at that rate, without coordinated omission.
 */
export type OpenLoop = {
  kind: 'open'
  perSecond: number
  /** `random` arrivals come as those of many users who know nothing of each other do (Poisson). */
  arrivals: 'even' | 'random'
}

export type LoadReport = {
  /** Of the measured time, whole answers with status 200. */
  answered: number
  /** Any other answer. */
  refused: number
  seconds: number
  perSecond: number
  bodyBytes: number
  /** Milliseconds. */
  latency: Quantiles
  /** Milliseconds between a request's time and its sending, of which the client itself is to blame. */
  lateness: Quantiles
  /** The start of the first answer that was not 200. */
  firstRefusal: string | undefined
  clientCpuSeconds: number
}

export type LoadMessage =
  | { kind: 'measuring' }
  | { kind: 'measured' }
  | { kind: 'report'; report: LoadReport }
  | { kind: 'failed'; message: string }
