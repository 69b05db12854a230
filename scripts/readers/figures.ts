// Latencies that readers saw at each server, by action, over the whole run and over the last seconds.

import { Histogram, type Quantiles } from '../../bench/load/histogram.ts'
import type { Act } from './options.ts'

export type ServerFigures = {
  name: string
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
}

const ASKED: readonly Act[] = ['sign-in', 'timeline', 'scroll', 'thread']

type Kept = { times: Histogram; failed: number }

export class Recorder {
  readonly #names: readonly string[]
  readonly #kept = new Map<string, Kept>()
  readonly #startedAt = performance.now()
  readonly #lags = new Map<string, number>()
  readonly #failures = new Map<string, string>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  record(server: string, act: Act, { ms, failure }: { ms: number; failure?: string }): void {
    const kept = this.#of(server, act)
    kept.times.record(ms * 1000)
    if (failure === undefined) return
    kept.failed++
    this.#failures.set(server, failure)
  }

  lag(server: string, ms: number | undefined): void {
    if (ms === undefined) this.#lags.delete(server)
    else this.#lags.set(server, ms)
  }

  figures(readers: number, emitted: number): Figures {
    const seconds = (performance.now() - this.#startedAt) / 1000
    const servers = this.#names.map((name) => this.#figuresOf(name, seconds))
    markBest(servers)
    const winner = winnerOf(servers)
    return { seconds, readers, eventsPerSecond: emitted / seconds, servers, winner }
  }

  #of(server: string, act: Act): Kept {
    const key = `${server} ${act}`
    const kept = this.#kept.get(key) ?? { times: new Histogram(), failed: 0 }
    this.#kept.set(key, kept)
    return kept
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

/**
 * Marks the lowest p99 of each kind of request; none if there is one server or any request failed.
 * Likes and follows are never marked: they go to the network, and no server answers them.
 */
function markBest(servers: readonly ServerFigures[]): void {
  if (servers.length < 2) return
  for (const act of ASKED) {
    const all = servers.flatMap(({ methods }) => methods[act] ?? [])
    const [best] = all.filter(({ failed }) => failed === 0).sort((a, b) => a.p99 - b.p99)
    if (best) best.isBest = true
  }
}

/** Number of request kinds at which it is best. */
function winsOf({ methods }: ServerFigures): number {
  return Object.values(methods).filter(({ isBest }) => isBest).length
}

function winnerOf(servers: readonly ServerFigures[]): string | undefined {
  const [first, second] = [...servers].sort((a, b) => winsOf(b) - winsOf(a))
  return first && second && winsOf(first) > winsOf(second) ? first.name : undefined
}

export function tableOf({ seconds, eventsPerSecond, servers, winner }: Figures): string {
  const won = winner === undefined ? '' : `; ${winner} is quicker at most`
  const head = `${seconds.toFixed(0)} s, ${eventsPerSecond.toFixed(0)} events/s${won}`
  const rows = servers.flatMap(({ name, methods, timelinesPerSecond, lagMs, lastFailure }) => [
    `${name}: ${timelinesPerSecond.toFixed(1)} timelines/s, ${lagMs ?? '?'} ms behind the stream${lastFailure ? `; failed: ${lastFailure}` : ''}`,
    ...Object.entries(methods).map(
      ([act, { count, p50, p99, failed, isBest }]) =>
        `  ${act.padEnd(10)} ${String(count).padStart(8)} × p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${failed ? `, ${failed} failed` : ''}${isBest ? ' (best)' : ''}`,
    ),
  ])
  return [head, ...rows].join('\n')
}
