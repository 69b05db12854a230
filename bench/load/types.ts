// The load generator's input and its reports: messages between two processes.

import type { Quantiles, Recordings } from './histogram.ts'

export type LoadPlan = {
  port: number
  /** Complete requests, ready to send; used in rotation. */
  requests: Uint8Array[]
  connections: number
  warmupSeconds: number
  seconds: number
  load: ClosedLoop | OpenLoop
}

/** Each connection sends its next request once answered: the server's capacity. */
export type ClosedLoop = { kind: 'closed' }

/**
 * Requests start on schedule whether or not earlier ones are answered, and latency counts from the
 * scheduled time: what users experience at that rate, without coordinated omission.
 */
export type OpenLoop = {
  kind: 'open'
  perSecond: number
  /** `random` arrivals are Poisson, like those of many independent users. */
  arrivals: 'even' | 'random'
}

export type LoadReport = {
  /** Complete answers with status 200 in the measured time. */
  answered: number
  /** All other answers. */
  refused: number
  seconds: number
  perSecond: number
  bodyBytes: number
  /** Milliseconds. */
  latency: Quantiles
  /** The same latencies, to be added to another run's. */
  recordings: Recordings
  /** Milliseconds between a request's scheduled time and its sending; the client's own delay. */
  lateness: Quantiles
  /** The start of the first answer with a status other than 200. */
  firstRefusal: string | undefined
  clientCpuSeconds: number
}

export type LoadMessage =
  | { kind: 'measuring' }
  | { kind: 'measured' }
  | { kind: 'report'; report: LoadReport }
  | { kind: 'failed'; message: string }
