// Figures saved in a file, each with its date and the machine that measured it, so that the documentation can
// cite their origin. Running some benchmarks again replaces their figures, except with doubtful ones.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type { BenchResult } from './result.ts'

export type SavedFigure = {
  value: number
  unit: string
  /** For example 2026-11-21. */
  date: string
  machine: string
  /** One-minute load average when it was saved: how busy the machine was otherwise. */
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

/** More than four digits would be false precision. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
