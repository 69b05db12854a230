// Figures saved in a file, each with its date, machine and commit, so that the documentation can cite their
// origin. Running some benchmarks again replaces their figures, except with doubtful ones.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Provenance, provenanceNow } from './provenance.ts'
import type { BenchResult } from './result.ts'

export type SavedFigure = Provenance & {
  value: number
  unit: string
  /** For example 2026-11-21. */
  date: string
  full: boolean
}

export type SavedFigures = Record<string, SavedFigure>

export function readFigures(path: string): SavedFigures {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SavedFigures) : {}
}

export function saveFigures(
  path: string,
  results: readonly BenchResult[],
  { full, now = new Date() }: { full: boolean; now?: Date },
): void {
  const figures = readFigures(path)
  const date = now.toISOString().slice(0, 10)
  const provenance = provenanceNow()
  for (const { name, value, unit, doubt } of results) {
    if (doubt !== undefined) continue
    figures[name] = { value: rounded(value), unit, date, ...provenance, full }
  }
  const sorted = Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** More than four digits would be false precision. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
