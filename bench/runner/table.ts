// The lines of the table that `npm run bench` prints.

import type { BenchResult } from './result.ts'
import { isMet, limitText, targetOf } from './targets.ts'

export function headLine(): string {
  return columns('figure', 'value', 'unit', 'target', '')
}

export function tableLine({ name, value, unit, doubt }: BenchResult): string {
  if (doubt !== undefined)
    return columns(name, formatValue(value), unit, '', `thrown away: ${doubt}`)
  const target = targetOf(name)
  if (!target) return columns(name, formatValue(value), unit, '', '')
  const verdict = isMet(target, value) ? 'pass' : 'MISS'
  return columns(name, formatValue(value), unit, limitText(target), verdict)
}

/** The number of targets met, and the ones missed. */
export function summaryLines(results: readonly BenchResult[]): string[] {
  const judged = results.filter(
    ({ name, doubt }) => targetOf(name) !== undefined && doubt === undefined,
  )
  const overdue = judged.filter(({ name, value }) => !isMet(targetOf(name)!, value))
  if (judged.length === 0) return []
  const names = overdue.map(({ name }) => name).join(', ')
  const met = `${judged.length - overdue.length} of ${judged.length} targets met`
  return ['', overdue.length === 0 ? met : `${met}; missed: ${names}`]
}

/** Formats with at least three digits, and no more than are useful. */
export function formatValue(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

function columns(
  name: string,
  value: string,
  unit: string,
  target: string,
  verdict: string,
): string {
  const start = `${name.padEnd(48)} ${value.padStart(14)} ${unit.padEnd(12)}`
  return `${start} ${target.padStart(10)} ${verdict}`.trimEnd()
}
