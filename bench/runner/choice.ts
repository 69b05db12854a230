// Lists the benchmarks and selects those named on the command line. A name that is a prefix of a file's name
// selects all figures of that file; a prefix of a figure's name selects that figure.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BenchResult } from './result.ts'
import { targetOf, targets } from './targets.ts'

export type Choice = {
  /** The file's name, without `.ts`. */
  bench: string
  /** The requested figures; all of them if none are named. */
  figures: string[]
}

const CAPACITYS = ['.', 'timelines']
const EXPORTS_BENCH = /^export (?:async )?function bench\b|\bas bench\b/m

/** The files of bench/, and of the rooms of benchmarks in it, that export `bench`, by name. */
export function benchFiles(): ReadonlyMap<string, string> {
  const folder = join(import.meta.dirname, '..')
  const files = CAPACITYS.flatMap((capacity) =>
    readdirSync(join(folder, capacity)).map((name) => join(folder, capacity, name)),
  )
  return new Map(
    files
      .filter((file) => file.endsWith('.ts') && EXPORTS_BENCH.test(readFileSync(file, 'utf8')))
      .map((file) => [basename(file, '.ts'), file]),
  )
}

export function benchNames(): string[] {
  return [...benchFiles().keys()].sort()
}

/** Selects benchmarks in file order; names that match nothing are returned in `unknown`. */
export function choose(names: readonly string[], benches: readonly string[]) {
  if (names.length === 0) {
    return { chosen: benches.map((bench) => ({ bench, figures: [] as string[] })), unknown: [] }
  }
  const figuresOf = new Map<string, string[]>()
  const unknown = names.filter((name) => {
    const files = benches.filter((bench) => bench.startsWith(name))
    for (const bench of files) figuresOf.set(bench, [])
    const requested = targets.filter(
      ({ figure }) => figure.startsWith(name) || startsLike(name, figure),
    )
    const others = files.length > 0 ? [] : requested.filter(({ bench }) => benches.includes(bench))
    for (const { bench } of others) {
      const already = figuresOf.get(bench)
      if (already?.length !== 0) figuresOf.set(bench, [...(already ?? []), name])
    }
    return files.length + others.length === 0
  })
  const chosen: Choice[] = benches
    .filter((bench) => figuresOf.has(bench))
    .map((bench) => ({ bench, figures: [...new Set(figuresOf.get(bench))] }))
  return { chosen, unknown }
}

/** `getTimeline.quiet_20.cpu_ms` has the same source as the other `getTimeline.` figures. */
function startsLike(name: string, figure: string): boolean {
  const dot = name.indexOf('.')
  return dot > 0 && figure.startsWith(name.slice(0, dot + 1))
}

/**
 * Each figure has one source. A figure with a target comes from the benchmark that the target
 * names, and so do the others of its kind (`getTimeline.p50_ms` has the same source as
 * `getTimeline.p99_ms`).
 */
export function isFrom(bench: string, { name }: BenchResult, benches: readonly string[]): boolean {
  const source = targetOf(name)?.bench ?? sourceOfKind(name)
  return source === undefined || source === bench || !benches.includes(source)
}

function sourceOfKind(name: string): string | undefined {
  const [kind, ...rest] = name.split('.')
  if (rest.length !== 1) return undefined
  return targets.find(({ figure }) => figure.startsWith(`${kind}.`))?.bench
}

/** Figures that have a target but were not printed. */
export function missingFigures(printed: readonly string[], full: boolean): string[] {
  return targets
    .filter(({ fullOnly }) => full || !fullOnly)
    .map(({ figure }) => figure)
    .filter((figure) => !printed.includes(figure))
}
