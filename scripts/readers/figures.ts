// What readers felt at each server: latencies by what they did, over the whole run and over the last seconds.

import { Histogram, type Quantiles } from '../../bench/load/histogram.ts'
import type { Act } from './options.ts'

export type ServerFigures = {
  name: string
  methods: Partial<Record<Act, Quantiles & { failed: number; isBest: boolean }>>
  timelinesPerSecond: number
  /** Milliseconds behind the stream, as the server says. */
  lagMs: number | undefined
  lastFailure: string | undefined
}

export type Figures = {
  seconds: number
  readers: number
  eventsPerSecond: number
  servers: ServerFigures[]
}

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
    return { seconds, readers, eventsPerSecond: emitted / seconds, servers }
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
    const timelines = (methods.timeline?.count ?? 0) + (methods.scroll?.count ?? 0)
    return {
      name,
      methods,
      timelinesPerSecond: timelines / seconds,
      lagMs: this.#lags.get(name),
      lastFailure: this.#failures.get(name),
    }
  }
}

/** Of each method the lower p99; nobody's where there is one server, or where any request failed. */
function markBest(servers: readonly ServerFigures[]): void {
  if (servers.length < 2) return
  const acts = new Set(servers.flatMap(({ methods }) => Object.keys(methods) as Act[]))
  for (const act of acts) {
    const all = servers.flatMap(({ methods }) => methods[act] ?? [])
    const [best] = all.filter(({ failed }) => failed === 0).sort((a, b) => a.p99 - b.p99)
    if (best) best.isBest = true
  }
}

export function tableOf({ seconds, eventsPerSecond, servers }: Figures): string {
  const head = `${seconds.toFixed(0)} s, ${eventsPerSecond.toFixed(0)} events/s`
  const rows = servers.flatMap(({ name, methods, timelinesPerSecond, lagMs, lastFailure }) => [
    `${name}: ${timelinesPerSecond.toFixed(1)} timelines/s, ${lagMs ?? '?'} ms behind the stream${lastFailure ? `; failed: ${lastFailure}` : ''}`,
    ...Object.entries(methods).map(
      ([act, { count, p50, p99, failed, isBest }]) =>
        `  ${act.padEnd(10)} ${String(count).padStart(8)} × p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${failed ? `, ${failed} failed` : ''}${isBest ? ' (best)' : ''}`,
    ),
  ])
  return [head, ...rows].join('\n')
}
