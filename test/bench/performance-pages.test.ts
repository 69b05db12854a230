// The generated tables of docs/PERFORMANCE.md, docs/FIGURES.md and docs/COST.md, and the figures they are
// generated from.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readFigures, type SavedFigure, saveFigures } from '../../bench/runner/saved-figures.ts'
import { targets } from '../../bench/runner/targets.ts'
import { exponentOf } from '../../scripts/docs/growth-table.ts'
import {
  costPage,
  costTable,
  figuresPage,
  lossyPage,
  performancePage,
  targetsTable,
  withSection,
} from '../../scripts/write-performance.ts'

const docs = join(import.meta.dirname, '../../docs')
const page = (name: string) => readFileSync(join(docs, name), 'utf8')

describe('docs', () => {
  const figures = readFigures(join(docs, 'figures.json'))

  // If one of these fails, run `node scripts/write-performance.ts`.
  test('PERFORMANCE.md shows the saved figures', () => {
    expect(performancePage(page('PERFORMANCE.md'), figures)).toBe(page('PERFORMANCE.md'))
  })

  test('FIGURES.md lists the saved figures', () => {
    const all = { ...readFigures(join(docs, 'plots/data.json')), ...figures }
    expect(figuresPage(page('FIGURES.md'), all)).toBe(page('FIGURES.md'))
  })

  test('COST.md shows the saved figures', () => {
    expect(costPage(page('COST.md'), figures)).toBe(page('COST.md'))
  })

  test('LOSSY-TIMELINES.md shows the figures of its plots', () => {
    const plotted = readFigures(join(docs, 'plots/data.json'))
    expect(lossyPage(page('LOSSY-TIMELINES.md'), plotted)).toBe(page('LOSSY-TIMELINES.md'))
  })

  test.each(targets.map(({ figure }) => figure))('%s was measured', (figure) => {
    expect(figures[figure]?.value).toBeGreaterThan(0)
  })
})

describe('tables', () => {
  const saved = (value: number, unit: string): SavedFigure => {
    return { value, unit, date: '2026-11-21', machine: 'a machine', load: 0.5, full: true }
  }

  test('a target shows whether it is met or by how much it is missed, in either direction', () => {
    const table = targetsTable({
      'getTimeline.cpu_ms': saved(1.2, 'ms'),
      'socialProof.rps_per_core': saved(5_000, 'requests/s'),
      'visible.p99_ms': saved(30, 'ms'),
    })
    const rowOf = (figure: string) => table.split('\n').find((row) => row.includes(`\`${figure}\``))
    expect(rowOf('getTimeline.cpu_ms')).toContain('| ≤ 0.6 ms | 1.2 ms | **missed**, 2 times |')
    expect(rowOf('socialProof.rps_per_core')).toContain('| **missed**, 2 times |')
    expect(rowOf('visible.p99_ms')).toContain('| 30 ms | met |')
    expect(rowOf('memory.rss_mb')).toContain('| not measured |')
  })

  test('costs have one column per size, empty if there is no figure', () => {
    const table = costTable(
      { 'cost.active.1e4.ram': saved(0.9, 'GB'), 'cost.active.1e6.ram': saved(20, 'GB') },
      'active',
    )
    expect(table).toContain('| **memory in all, GB** | 0.9 |  | 20 |')
  })

  test('an exponent is 0 for a constant, 1 for linear and 2 for quadratic growth', () => {
    const sizes = [10, 100, 1_000]
    const exponents = [0, 1, 2].map((power) =>
      exponentOf(sizes.map((size) => [size, 3 * size ** power])),
    )
    for (const [power, exponent] of exponents.entries()) expect(exponent).toBeCloseTo(power)
  })

  test('a section is replaced between its markers, and a page without them is refused', () => {
    const text = 'a\n<!-- costs: generated -->\nold\n<!-- /costs -->\nb\n'
    expect(withSection(text, 'costs', 'new')).toBe(
      'a\n<!-- costs: generated -->\nnew\n<!-- /costs -->\nb\n',
    )
    expect(() => withSection('nothing', 'costs', 'new')).toThrow(/marker costs/)
  })
})

describe('saved figures', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipstream-figures-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('a later run replaces only its own figures', () => {
    const path = join(folder, 'figures.json')
    const now = new Date('2026-11-21T08:00:00Z')
    const a = { name: 'a', value: 1.23456, unit: 'ms' }
    const b = { name: 'b', value: 2, unit: 's' }
    saveFigures(path, [b, a], { full: false, now })
    saveFigures(path, [{ ...a, value: 9 }], { full: true, now: new Date('2026-11-22T08:00:00Z') })
    const figures = readFigures(path)
    expect(Object.keys(figures)).toEqual(['a', 'b'])
    expect(figures['a']).toMatchObject({ value: 9, date: '2026-11-22', full: true })
    expect(figures['b']).toMatchObject({ value: 2, date: '2026-11-21', full: false })
    expect(figures['a']!.machine).toMatch(/Node \d+/)
  })

  test('four digits are kept, and a missing file has no figures', () => {
    const path = join(folder, 'figures.json')
    expect(readFigures(path)).toEqual({})
    saveFigures(path, [{ name: 'a', value: 123_456.789, unit: 'B' }], { full: false })
    expect(readFigures(path)['a']!.value).toBe(123_500)
  })
})
