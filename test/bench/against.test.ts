// When a row of `npm run bench -- --against TREE` is judged, and how.

import { expect, test } from 'vitest'
import { parts, type Row } from '../../bench/against/rows.ts'
import { rowLine, verdictOf } from '../../bench/against/verdict.ts'
import type { Ratio } from '../../bench/compare/in-turns.ts'

const less: Row = { figure: 'a', what: 'a cost', target: 0.6, better: 'less' }
const more: Row = { figure: 'b', what: 'a rate', target: 1.5, better: 'more' }
const ratio = (low: number, mid: number, high: number): Ratio => {
  return { name: 'a', before: 100, now: 100 * mid, low, mid, high }
}

test('a ratio meets its target or misses it', () => {
  expect(verdictOf(less, ratio(0.5, 0.55, 0.6))).toBe('met')
  expect(verdictOf(less, ratio(0.7, 0.75, 0.8))).toBe('missed')
  expect(verdictOf(more, ratio(1.5, 1.6, 1.7))).toBe('met')
  expect(verdictOf(more, ratio(1.3, 1.4, 1.45))).toBe('missed')
})

test('a row whose rounds differ by more than the trees do is not judged', () => {
  expect(verdictOf(less, ratio(0.3, 0.55, 0.8))).toBe('not judged')
  expect(verdictOf(less, ratio(0.95, 0.98, 1.02))).toBe('not judged')
  expect(verdictOf(more, ratio(0.9, 1.6, 1.7))).toBe('not judged')
  expect(verdictOf(less, undefined)).toBe('not judged')
  expect(rowLine(less, undefined)).toContain('not measured')
})

test('a row shows both figures, the ratio with its spread, and the target', () => {
  const line = rowLine(less, ratio(0.5, 0.55, 0.6))
  expect(line).toBe('| a cost | 100.0 | 55.00 | 0.55 (0.50 to 0.60) | ≤ 0.6 | met |')
})

test('no figure stands in two rows', () => {
  const figures = parts.flatMap(({ rows }) => rows.map(({ figure }) => figure))
  expect(new Set(figures).size).toBe(figures.length)
})
