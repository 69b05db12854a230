// What readers experienced at each server, by action, over the whole run, and second by second. Latencies are those of
// requests that succeeded: a refusal may be quick, and a failure says nothing about how long an answer takes.

import { Histogram, type Quantiles } from '../../bench/load/histogram.ts'
import type { Measured } from './history.ts'
import type { Act } from './options.ts'

export type ServerFigures = {
  name: string
  /** Of requests that succeeded, and the number of those that failed. */
  methods: Partial<Record<Act, Quantiles & { failed: number; isBest: boolean }>>
  timelinesPerSecond: number
  /** Milliseconds behind the stream, as reported by the server. */
  lagMs: number | undefined
  lastFailure: string | undefined
}

export type Figures = {
  seconds: number
  readers: number
  eventsPerSecond: number
  servers: ServerFigures[]
  /** The server that is fastest at more kinds of requests; undefined if none is. */
  winner: string | undefined
  /** Why none is named, if sign-ins failed: the servers then did not do the same. */
  undecided: string | undefined
}

const REQUESTED: readonly Act[] = ['sign-in', 'timeline', 'scroll', 'thread']

type Tally = { times: Histogram; failed: number }

export class Recorder {
  readonly #names: readonly string[]
  readonly #kept = new Map<string, Tally>()
  /** Since `takeLatest`, by server: what it was asked. */
  #latest = new Map<string, Tally>()
  readonly #startedAt = performance.now()
  readonly #lags = new Map<string, number>()
  readonly #failures = new Map<string, string>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  record(server: string, act: Act, { ms, failure }: { ms: number; failure?: string }): void {
    const both = [storedOf(this.#kept, `${server} ${act}`)]
    if (REQUESTED.includes(act)) both.push(storedOf(this.#latest, server))
    for (const stored of both) {
      if (failure === undefined) stored.times.record(ms * 1000)
      else stored.failed++
    }
    if (failure !== undefined) this.#failures.set(server, failure)
  }

  lag(server: string, ms: number | undefined): void {
    if (ms === undefined) this.#lags.delete(server)
    else this.#lags.set(server, ms)
  }

  seconds(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  /** What servers were asked since the last call, in the order of their names. */
  takeLatest(): Omit<Measured, 'usage'>[] {
    const latest = this.#latest
    this.#latest = new Map()
    return this.#names.map((name) => {
      const { times, failed } = storedOf(latest, name)
      return { read: times.quantiles(), failed }
    })
  }

  figures(readers: number, emitted: number): Figures {
    const seconds = this.seconds()
    const servers = this.#names.map((name) => this.#figuresOf(name, seconds))
    markBest(servers)
    const undecided = undecidedOf(servers)
    const winner = undecided === undefined ? winnerOf(servers) : undefined
    return { seconds, readers, eventsPerSecond: emitted / seconds, servers, winner, undecided }
  }

  #figuresOf(name: string, seconds: number): ServerFigures {
    const methods: ServerFigures['methods'] = {}
    for (const [key, { times, failed }] of this.#kept) {
      const [server, act] = key.split(' ') as [string, Act]
      if (server === name) methods[act] = { ...times.quantiles(), failed, isBest: false }
    }
    const count = (act: Act) => methods[act]?.count ?? 0
    const timelines = count('sign-in') + count('timeline') + count('scroll')
    return {
      name,
      methods,
      timelinesPerSecond: timelines / seconds,
      lagMs: this.#lags.get(name),
      lastFailure: this.#failures.get(name),
    }
  }
}

function storedOf(map: Map<string, Tally>, key: string): Tally {
  const cached = map.get(key) ?? { times: new Histogram(), failed: 0 }
  map.set(key, cached)
  return cached
}

/**
 * Marks the lowest p99 of each kind of request; none if there is one server, and none where any request failed.
 * Likes and follows are never marked: they go to the network, and no server answers them.
 */
function markBest(servers: readonly ServerFigures[]): void {
  if (servers.length < 2) return
  for (const act of REQUESTED) {
    const all = servers.flatMap(({ methods }) => methods[act] ?? [])
    const [best] = all
      .filter(({ count, failed }) => count > 0 && failed === 0)
      .sort((a, b) => a.p99 - b.p99)
    if (best) best.isBest = true
  }
}

/** A server that lets nobody in has less to do. */
function undecidedOf(servers: readonly ServerFigures[]): string | undefined {
  const failed = servers.flatMap(({ name, methods }) => {
    const count = methods['sign-in']?.failed ?? 0
    return count > 0 ? [`${count} at ${name}`] : []
  })
  return failed.length === 0 ? undefined : `sign-ins failed: ${failed.join(', ')}`
}

/** Number of request kinds at which it is best. */
function winsOf({ methods }: ServerFigures): number {
  return Object.values(methods).filter(({ isBest }) => isBest).length
}

function winnerOf(servers: readonly ServerFigures[]): string | undefined {
  const [first, second] = [...servers].sort((a, b) => winsOf(b) - winsOf(a))
  return first && second && winsOf(first) > winsOf(second) ? first.name : undefined
}

export function tableOf({ seconds, eventsPerSecond, servers, winner, undecided }: Figures): string {
  const won = winner === undefined ? '' : `; ${winner} is quicker at most`
  const open = undecided === undefined ? '' : `; none is compared, as ${undecided}`
  const head = `${seconds.toFixed(0)} s, ${eventsPerSecond.toFixed(0)} events/s${won}${open}`
  const rows = servers.flatMap(({ name, methods, timelinesPerSecond, lagMs, lastFailure }) => [
    `${name}: ${timelinesPerSecond.toFixed(1)} timelines/s, ${lagMs ?? '?'} ms behind the stream${lastFailure ? `; failed: ${lastFailure}` : ''}`,
    ...Object.entries(methods).map(
      ([act, { count, p50, p99, failed, isBest }]) =>
        `  ${act.padEnd(10)} ${String(count).padStart(8)} × p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${failed ? `; ${failed} failed, not among these` : ''}${isBest ? ' (best)' : ''}`,
    ),
  ])
  return [head, ...rows].join('\n')
}
