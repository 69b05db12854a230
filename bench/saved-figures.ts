// Figures kept in a file, each with the day and the machine it was measured on, so that the
// documentation can say where they come from. Running some benchmarks again replaces theirs; what is in doubt does not.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type { BenchResult } from './result.ts'

export type SavedFigure = {
  value: number
  unit: string
  /** Such as 2026-11-21. */
  date: string
  machine: string
  /** Load average of the last minute when it was saved: how much the machine did besides. */
  load: number
  full: boolean
}

export type SavedFigures = Record<string, SavedFigure>

export function machineName(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model.replace(/\(R\)|\(TM\)|CPU|Processor/g, '') ?? 'unknown CPU'
  return `${cpus().length} × ${model.replace(/\s+/g, ' ').trim()}, ${gigabytes} GiB, Node ${process.versions.node}`
}

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
  const load = Math.round(loadavg()[0]! * 10) / 10
  for (const { name, value, unit, doubt } of results) {
    if (doubt !== undefined) continue
    figures[name] = { value: rounded(value), unit, date, machine: machineName(), load, full }
  }
  const sorted = Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Four digits are more than is known. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
